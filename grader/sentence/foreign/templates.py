"""Sentences of Python, PyTorch, NumPy, Triton and g++: the only ones that are recognised by what they look like.

These programs write finished English, and so does what passes through them: the course's own preprocessor in front of
g++, an answer that calls the course, the charts of a lesson's cells. `recognised` finds the template of one, so that it
has a translation as any sentence of the engine has. A text that no template explains as a whole stays as it is.
"""

from __future__ import annotations

import functools
import re

from ..said import Said, joined, parts_of, said

_LONGEST = 400  # characters of a text that is looked at
# What stands in quotes is somebody's code, and the same in all languages.
_QUOTED = re.compile("`[^`]*`|'[^']*'")
_WORDS = re.compile(r"[A-Za-z]{2,} +[A-Za-z]{2,}")
_NAMES = re.compile(r"('\w+'(?:, '\w+')*),? and ('\w+')")


def recognised(text: str) -> Said | str:
    """The sentence that a text of Python, PyTorch, NumPy, Triton or g++ is; the text itself where none is known."""
    if isinstance(text, Said) or not 0 < len(text) <= _LONGEST:
        return text
    best, most = None, -1
    for template, fragment, letters, pattern in _table():
        if letters > most and fragment in text and (found := re.fullmatch(pattern, text)):
            values = {name: _value(value, pattern, name) for name, value in found.groupdict().items()}
            if None not in values.values():
                best, most = Said(template, values), letters
    return text if best is None else best


def is_known(sentence: Said) -> bool:
    """Whether a sentence is one of those that `recognised` finds, wherever it was made."""
    return sentence.template in _known()


def _value(value: str, pattern: str, name: str) -> Said | str | None:
    """The value of a placeholder; None where it holds words that have no translation, as another sentence does."""
    if name == "pragma" or f"(?P<{name}>[^" in pattern:
        return value
    if names := _NAMES.fullmatch(value):
        first = joined("{one}, {two}", names[1].split(", "))
        if ", and " in value:
            return said("{one}, and {two}", one=first, two=names[2])
        return said("{one} and {two}", one=first, two=names[2])
    known = recognised(value)
    return None if known is value and _WORDS.search(_QUOTED.sub("", value)) else known


@functools.cache
def _known() -> frozenset[str]:
    return frozenset(template.template for template in _templates())


@functools.cache
def _table() -> tuple[tuple[str, str, int, str], ...]:
    """(template, its longest run of plain text, letters of its plain text, its pattern) for each template."""
    found = []
    for template in _templates():
        parts = parts_of(template)
        plain = [text for text, _ in parts]
        letters = len(re.findall("[A-Za-z]", "".join(plain)))
        found.append((template.template, max(plain, key=len), letters, _pattern(parts)))
    return tuple(found)


def _pattern(parts: tuple[tuple[str, str], ...]) -> str:
    pattern, before, seen = "", "", set()
    for plain, name in parts:
        if not name:
            pattern += re.escape(plain)
        elif name in seen:
            pattern += f"(?P={name})"
        else:
            value = f"[^{before[-1]}]*?" if before[-1:] in ("'", "`") else ".*?"
            pattern += f"(?P<{name}>{value})"
        before, seen = plain, seen | {name}
    return pattern


def _templates() -> tuple[Said, ...]:
    """Made when the first text is looked at: most processes meet none."""
    return (
        said("0 active drivers ([]). There should only be one."),
        said("a ConstexprFunction"),
        said("a function-definition is not allowed here before '{word}' token"),
        said("a leaf Variable that requires grad is being used in an in-place operation."),
        said("arange must fit in int32"),
        said("arange's arguments must be of type tl.constexpr"),
        said("arange's end argument must be greater than the start argument"),
        said("arange's range must be a power of 2"),
        said("{function}() arg is an empty sequence"),
        said("{function}(): argument '{name}' failed to unpack the object at pos {place} with error {error}"),
        said("{function}(): argument '{name}' must be {type}, not {other}"),
        said("argument of type '{type}' is not iterable"),
        said("{function}(): argument '{name}' (position {number}) must be {type}, not {other}"),
        said(
            "{function}(): argument '{name}' (position {number}) must be tuple of ints, but found element of "
            "type {type} at pos {place}"
        ),
        said("{function}(): argument '{name}' (position {number}) must be tuple of ints, not {type}"),
        said("{function}(): argument '{name}' (position {number}) must be tuple of Tensors, not {other}"),
        said("array must be initialized with a brace-enclosed initializer"),
        said("assignment destination is read-only"),
        said("assignment expression cannot be used in a comprehension iterable expression"),
        said("assignment expression cannot rebind comprehension iteration variable '{name}'"),
        said("assignment of read-only location '{name}'"),
        said("assignment of read-only parameter '{name}'"),
        said("assignment of read-only reference '{name}'"),
        said("assignment of read-only variable '{name}'"),
        said("a str"),
        said("a template declaration cannot appear at block scope"),
        said("a Tensor"),
        said("a Tensor with {count} elements cannot be converted to Scalar"),
        said("attribute '{name}' of '{type}' objects is not writable"),
        said("'await' outside async function"),
        said("axis [{axis}] out of bounds"),
        said("axis {axis} out of bounds for shape {shape}"),
        said("bad operand type for {function}(): '{type}'"),
        said("bad operand type for unary {operator}: '{type}'"),
        said("base operand of '{operator}' has non-pointer type '{type}'"),
        said("binding reference of type '{one}' to '{two}' discards qualifiers"),
        said("Boolean value of Tensor with more than one value is ambiguous"),
        said("both arguments to matmul need to be at least 1D, but they are {one} and {two}"),
        said("Both operands must be same dtype. Got {one} and {two}"),
        said("'break' outside loop"),
        said("break statement not within loop or switch"),
        said("bytes can only contain ASCII literal characters"),
        said("call of overloaded '{function}' is ambiguous"),
        said("cannot access free variable '{name}' where it is not associated with a value in enclosing scope"),
        said("Cannot access global variable {name} from within @jit'ed function"),
        said("cannot access local variable '{name}' where it is not associated with a value"),
        said("cannot assign to {word}"),
        said("cannot assign to attribute here. Maybe you meant '==' instead of '='?"),
        said("cannot assign to conditional expression"),
        said("cannot assign to expression"),
        said("cannot assign to expression here. Maybe you meant '==' instead of '='?"),
        said("cannot assign to function call"),
        said("cannot assign to function call here. Maybe you meant '==' instead of '='?"),
        said("cannot assign to generator expression"),
        said("cannot assign to '{name}' here. Maybe you meant '==' instead of '='?"),
        said("cannot assign to literal"),
        said("cannot assign to literal here. Maybe you meant '==' instead of '='?"),
        said("cannot assign to set display"),
        said("cannot assign to subscript here. Maybe you meant '==' instead of '='?"),
        said("'{name}' cannot be used as a function"),
        said("cannot bind non-const lvalue reference of type '{one}' to an rvalue of type '{two}'"),
        said("cannot bind non-const lvalue reference of type '{one}' to a value of type '{two}'"),
        said("Cannot bitcast data-type of size {one} to data-type of size {two}"),
        said("cannot cast a block to {type}"),
        said("cannot cast [{values}] to {type}"),
        said("cannot convert float infinity to integer"),
        said("cannot convert float NaN to integer"),
        said("cannot convert {value} of type <class '{type}'> to tensor"),
        said("cannot convert '{type}' to '{other}'"),
        said("cannot convert '{type}' to '{other}' in assignment"),
        said("cannot convert '{type}' to '{other}' in initialization"),
        said("cannot convert '{type}' to '{other}' in return"),
        said("cannot delete {kind}"),
        said("cannot delete {word}"),
        said("Cannot evaluate f-string containing non-constexpr conversion values, found conversion of type {type}"),
        said("cannot import name '{name}' from '{module}'"),
        said("Cannot make_shape_compatible: incompatible dimensions at index {axis}: {one} and {two}"),
        said("cannot mix bytes and nonbytes literals"),
        said("cannot reshape array of size {size} into shape {shape}"),
        said("cannot unpack non-iterable {type} object"),
        said("cannot use assignment expressions with {kind}"),
        said("cannot use a starred expression in a dictionary value"),
        said("cannot use starred expression here"),
        said("can only concatenate {one} (not {two}) to {three}"),
        said("can only convert an array of size 1 to a Python scalar"),
        said("Can't call numpy() on Tensor that requires grad. Use tensor.detach().numpy() instead."),
        said("can't multiply sequence by non-int of type '{type}'"),
        said("can't use starred expression here"),
        said("case label '{value}' not within a switch statement"),
        said("class definition"),
        said("closing parenthesis '{bracket}' does not match opening parenthesis '{other}'"),
        said("closing parenthesis '{bracket}' does not match opening parenthesis '{other}' on line {number}"),
        said("conflicting declaration '{name}'"),
        said("'continue' not properly in loop"),
        said("continue statement not within a loop"),
        said("conversion from '{one}' to '{two}' in a converted constant expression"),
        said("conversion from '{one}' to non-scalar type '{two}' requested"),
        said("could not convert '{value}' from '{one}' to '{two}'"),
        said("could not convert string to float: '{text}'"),
        said(
            "{function}(): could not infer output dtype. Input dtype must be either a floating point or "
            "complex dtype. Got: {dtype}"
        ),
        said("declaration of '{name}' has no initializer"),
        said("declaration of '{name}' shadows a parameter"),
        said("'{name}' declared as reference but not initialized"),
        said("decrement of read-only variable '{name}'"),
        said("default 'except:' must be last"),
        said("dictionary changed size during iteration"),
        said("dict unpacking cannot be used in dict comprehension"),
        said("{one} did not match {two}"),
        said("did you forget parentheses around the comprehension target?"),
        said("Did you forget to add @triton.jit ? (`_semantic` argument must be provided outside of JIT functions.)"),
        said("Dimension out of range (expected to be in range of [{low}, {high}], but got {got})"),
        said("Dimension specified as {axis} but tensor has no dimensions"),
        said("division by zero"),
        said("'{name}' does not name a type"),
        said("dot : expected both vectors to have same dtype, but found {type} and {other}"),
        said("duplicate argument '{name}' in function definition"),
        said(
            "einsum(): the number of subscripts in the equation ({one}) does not match the number of "
            "dimensions ({two}) for operand {operand} and no ellipsis was given"
        ),
        said("element 0 of tensors does not require grad and does not have a grad_fn"),
        said("empty character constant"),
        said(
            "[enforce fail at {file}] {condition}. DefaultCPUAllocator: can't allocate memory: you tried to allocate "
            "{bytes} bytes. Error code {code} (Cannot allocate memory)"
        ),
        said("empty separator"),
        said("#endif without #if"),
        said("EOF when reading a line"),
        said("[Errno {number}] File name too long: '{name}'"),
        said("[Errno {number}] No such file or directory: '{name}'"),
        said("exception handling disabled, use '-fexceptions' to enable"),
        said("exceptions must derive from BaseException"),
        said(
            "expand({tensor}, size={size}): the number of sizes provided ({count}) must be greater or equal "
            "to the number of dimensions in the tensor ({axes})"
        ),
        said("expected '{sign}'"),
        said("':' expected after dictionary key"),
        said("Expected all tensors to be on the same device"),
        said("expected an indented block"),
        said("expected an indented block after {statement} on line {number}"),
        said("expected a nonnegative input, got {number}"),
        said("expected a positive input, got {number}"),
        said("{function} expected {count} argument, got {got}"),
        said("{function} expected {count} arguments, got {got}"),
        said("Expected {name} argument to have shape {one} but got {two}"),
        said("expected '{sign}' at end of input"),
        said("expected '{sign}' at end of member declaration"),
        said("{function} expected at least {count} argument, got {got}"),
        said("{function} expected at least {count} arguments, got {got}"),
        said("{function} expected at most {count} argument, got {got}"),
        said("{function} expected at most {count} arguments, got {got}"),
        said("expected '{sign}' before '{word}'"),
        said("expected '{sign}' before '{word}' token"),
        said("expected declaration before '}' token"),
        said("expected default value expression"),
        said("Expected dtype {dtypes} but got {dtype}"),
        said("expected 'else' after 'if' expression"),
        said("expected 'except' or 'finally' block"),
        said("expected initializer before '{word}'"),
        said("expected initializer before '{word}' token"),
        said("Expected one of {names} device type at start of device string: {text}"),
        said("expected one or more exception types"),
        said("expected '{sign}' or '{sign2}' before '{word}'"),
        said("expected primary-expression before '{word}'"),
        said("expected primary-expression before '{word}' token"),
        said(
            "{function}(): Expected reduction dim to be specified for input.numel() == 0. Specify the "
            "reduction dim with the 'dim' argument."
        ),
        said("expected scalar type {one} but found {two}"),
        said("expected sequence of length {one} at dim {axis} (got {two})"),
        said("expected Tensor as element {place} in argument {number}, but got {type}"),
        said("expected unqualified-id before '{word}'"),
        said("expected unqualified-id before numeric constant"),
        said("expected unqualified-id before '{word}' token"),
        said("exponent has no digits"),
        said("expression cannot contain assignment, perhaps you meant {operator}?"),
        said("expression expected after dictionary key and ':'"),
        said("extended character {sign} is not valid in an identifier"),
        said("First input ({one}) and second input ({two}) must have the same dtype!"),
        said("float() argument must be a string or a real number, not '{type}'"),
        said("float division by zero"),
        said("float modulo"),
        said("'{cast}' from type '{one}' to type '{two}' casts away qualifiers"),
        said("f-string: empty expression not allowed"),
        said("f-string: expecting '{sign}'"),
        said("f-string: expecting a valid expression after '{sign}'"),
        said("f-string expression part cannot include a backslash"),
        said("f-string: single '{sign}' is not allowed"),
        said("f-string: unterminated string"),
        said("f-string: valid expression required before '{sign}'"),
        said("function definition"),
        said("Function parameters cannot be parenthesized"),
        said("function {function} returned an incorrect number of gradients (expected {expected}, got {got})"),
        said("Generator expression must be parenthesized"),
        said("{function}() got an unexpected keyword argument '{name}'"),
        said("{function}() got multiple values for argument '{name}'"),
        said("{function}() got too many arguments"),
        said("grad can be implicitly created only for scalar outputs"),
        said("'{type}' has no member named '{name}'"),
        said("illegal target for annotation"),
        said("import * only allowed at module level"),
        said("incompatible types in assignment of '{one}' to '{two}'"),
        said(
            "inconsistent tensor size, expected tensor {shape} and src {other} to have the same number of "
            "elements, but got {count} and {others} elements respectively"
        ),
        said("inconsistent use of tabs and spaces in indentation"),
        said("increment of read-only location '{name}'"),
        said("increment of read-only variable '{name}'"),
        said("index {index} is out of bounds for axis {axis} with size {size}"),
        said("index {index} is out of bounds for dimension {axis} with size {size}"),
        said("initializer in range-based 'for' loop"),
        said("input and other must have equal ranks >= 2"),
        said("input and other must have equal reduction dimensions"),
        said("int() argument must be a string, a bytes-like object or a real number, not '{type}'"),
        said("integer division or modulo by zero"),
        said("integer modulo by zero"),
        said("int too large to convert to float"),
        said("invalid binary literal"),
        said("invalid cast from type '{one}' to type '{two}'"),
        said("invalid character '{sign}' ({code})"),
        said("invalid conversion from '{type}' to '{other}'"),
        said("invalid decimal literal"),
        said("invalid digit {digit} in octal constant"),
        said("invalid digit '{digit}' in octal literal"),
        said("Invalid format specifier"),
        said("invalid '{cast}' from type '{one}' to type '{two}'"),
        said("invalid hexadecimal literal"),
        said("invalid imaginary literal"),
        said("invalid initialization of non-const reference of type '{one}' from an rvalue of type '{two}'"),
        said("invalid literal for int() with base {base}: '{text}'"),
        said("invalid non-printable character {code}"),
        said("invalid octal literal"),
        said("invalid operands of type {one} and {two}"),
        said("invalid operands of types '{one}' and '{two}' to binary 'operator{operator}'"),
        said("invalid syntax"),
        said("invalid syntax. Maybe you meant '==' or ':=' instead of '='?"),
        said("invalid syntax. Perhaps you forgot a comma?"),
        said("invalid type argument of unary '{operator}' (have '{type}')"),
        said("invalid types '{array}[{index}]' for array subscript"),
        said("'{kind}' is an illegal expression for augmented assignment"),
        said("'{name}' is an invalid keyword argument for {function}"),
        said("{name} is an object of the type {type}, and no function"),
        said("isinstance() arg 2 must be a type, a tuple of types, or a union"),
        said("'{name}' is not a class, namespace, or enumeration"),
        said("'{name}' is not a constant expression"),
        said("{name} is not defined"),
        said("{type} is not string"),
        said("{function}() iterable argument is empty"),
        said("iterable argument unpacking follows keyword argument unpacking"),
        said("iterable unpacking cannot be used in comprehension"),
        said("key contains names that are not kernel arguments: {names}. Valid argument names are: {valid}."),
        said("keyword argument repeated: {name}"),
        said("label '{name}' used but not defined"),
        said("Lambda expression parameters cannot be parenthesized"),
        said("leading zeros in decimal integer literals are not permitted; use an 0o prefix for octal integers"),
        said("list assignment index out of range"),
        said("list index out of range"),
        said("list indices must be integers or slices, not {type}"),
        said("local variable '{name}' referenced before assignment"),
        said(
            "Loop-carried variable {name} has initial type {one} but is re-assigned to {two} in loop! Please "
            "make sure that the type stays consistent."
        ),
        said("lvalue required as decrement operand"),
        said("lvalue required as increment operand"),
        said("lvalue required as left operand of assignment"),
        said("Mask argument cannot be block type if pointer argument is not a block"),
        said("Mask must have boolean scalar type"),
        said("mat1 and mat2 shapes cannot be multiplied ({one} and {two})"),
        said("math domain error"),
        said("math range error"),
        said("maximum recursion depth exceeded"),
        said("maximum recursion depth exceeded in comparison"),
        said("maximum recursion depth exceeded while calling a Python object"),
        said("Missing parentheses in call to 'print'. Did you mean print(...)?"),
        said("{function}() missing required argument '{name}' (pos {place})"),
        said("{function}() missing {count} required positional argument: {names}"),
        said("{function}() missing {count} required positional arguments: {names}"),
        said("missing terminating {sign} character"),
        said("missing ), unterminated subpattern at position {place}"),
        said("module '{module}' has no attribute '{name}'"),
        said("multiple exception types must be parenthesized"),
        said("multiple starred expressions in assignment"),
        said("must be real number, not {type}"),
        said("must be str or None, not {type}"),
        said("named arguments must follow bare *"),
        said("name '{name}' is assigned to before global declaration"),
        said("name '{name}' is not defined"),
        said("name '{name}' is parameter and global"),
        said("name '{name}' is used prior to global declaration"),
        said("negative shift count"),
        said("no binding for nonlocal '{name}' found"),
        said("no match for 'operator{operator}' (operand types are '{one}' and '{two}')"),
        said("no matching function for call to '{function}'"),
        said("No module named '{name}'"),
        said("non-default argument follows default argument"),
        said("nonlocal declaration not allowed at module level"),
        said("not all arguments converted during string formatting"),
        said("not enough values to unpack (expected {expected}, got {got})"),
        said("{name} not implemented for '{dtype}'"),
        said("'{operator}' not supported between instances of '{left}' and '{right}'"),
        said("numel ({count}) exceeds triton maximum tensor numel ({most})"),
        said("({number}, 'Numerical result out of range')"),
        said("'{type}' object cannot be interpreted as an integer"),
        said("'{type}' object does not support item assignment"),
        said("'{type}' object has no attribute '{name}'"),
        said("'{type}' object is not an iterator"),
        said("'{type}' object is not callable"),
        said("'{type}' object is not iterable"),
        said("'{type}' object is not subscriptable"),
        said("object of type '{type}' has no len()"),
        said("one of the variables needed for gradient computation has been modified by an inplace operation"),
        said("only integer scalar arrays can be converted to a scalar index"),
        said("only integer tensors of a single element can be converted to an index"),
        said("only one element tensors can be converted to Python scalars"),
        said("only single target (not {kind}) can be annotated"),
        said("only tuple comprehensions are supported"),
        said("operands could not be broadcast together with shapes {one} {two}"),
        said("operands to '{operator}' have different types '{one}' and '{two}'"),
        said("`other` cannot be provided without `mask`"),
        said("output with shape {one} doesn't match the broadcast shape {two}"),
        said("'{word}' outside function"),
        said("pairs needs an NVIDIA GPU and 16-bit rows that consist of 32-bit words"),
        said("parameter without a default follows parameter with a default"),
        said("pop from empty list"),
        said("positional argument follows keyword argument"),
        said("positional argument follows keyword argument unpacking"),
        said("program_id axis must be 0, 1, or 2 but got {axis}"),
        said("range() arg 3 must not be zero"),
        said("{function}() received an invalid combination of arguments - got ({given})"),
        said("redeclaration of '{name}'"),
        said("redefinition of '{name}'"),
        said("reduce() of empty iterable with no initial value"),
        said("request for member '{name}' in '{of}', which is of non-class type '{type}'"),
        said("reset_to_zero contains names that are not kernel arguments: {names}. Valid argument names are: {valid}."),
        said("restore_value contains names that are not kernel arguments: {names}. Valid argument names are: {valid}."),
        said("result type {one} can't be cast to the desired output type {two}"),
        said("return-statement with a value, in function returning 'void'"),
        said("save_for_backward can only save variables, but argument {number} is of type {type}"),
        said("self must be a matrix"),
        said("sequence item {place}: expected str instance, {type} found"),
        said("setting an array element with a sequence."),
        said("Shape element {place} must be a power of 2"),
        said("Shape element {place} must have type `constexpr[int]`, got {type}"),
        said("shape '{shape}' is invalid for input of size {size}"),
        said("shared needs an NVIDIA GPU, 32-bit words, and room for all programs of a row at once"),
        said("size of array '{name}' has non-integral type '{type}'"),
        said("size '{size}' of array '{name}' is negative"),
        said("slice indices must be integers or None or have an __index__ method"),
        said("softmax takes a float32 matrix, and x has the shape {shape} and the type {dtype}"),
        said("source code string cannot contain null bytes"),
        said(
            "stack expects each tensor to be equal size, but got {shape} at entry {at} and {other} at entry {other_at}"
        ),
        said("starred assignment target must be in a list or tuple"),
        said("'{word}' statement"),
        said("storage size of '{name}' isn't constant"),
        said("stray '{sign}' in program"),
        said("string index out of range"),
        said("string indices must be integers, not '{type}'"),
        said("{function}() takes at least {count} argument ({got} given)"),
        said("{function}() takes at least {count} arguments ({got} given)"),
        said("{function}() takes at most {count} arguments ({got} given)"),
        said("{function}() takes exactly {count} arguments ({got} given)"),
        said("{function}() takes exactly one argument ({got} given)"),
        said("{name}() takes no arguments"),
        said("{function}() takes no arguments ({got} given)"),
        said("{function}() takes no keyword arguments"),
        said("{function}() takes {count} positional argument but {given} were given"),
        said("{function}() takes {count} positional arguments but {given} was given"),
        said("{function}() takes {count} positional arguments but {given} were given"),
        said("tensors used as indices must be long, int, byte or bool tensors"),
        said("Ternary expression with dynamic condition has inconsistent types {one} and {two}"),
        said(
            "The expanded size of the tensor ({one}) must match the existing size ({two}) at non-singleton "
            "dimension {axis}. Target sizes: {shape}. Tensor sizes: {other}"
        ),
        said("the launch got multiple values for keyword argument '{name}'"),
        said("The size of tensor a ({one}) must match the size of tensor b ({two}) at non-singleton dimension {axis}"),
        said("The truth value of an array with more than one element is ambiguous. Use a.any() or a.all()"),
        said("too few arguments to function '{function}'"),
        said("too many arguments to function '{function}'"),
        said("too many decimal points in number"),
        said("too many indices for tensor of dimension {count}"),
        said("too many indices for tensor of rank {rank}"),
        said("too many initializers for '{type}'"),
        said("too many nested parentheses"),
        said("too many values to unpack (expected {expected})"),
        said("Torch not compiled with CUDA enabled"),
        said("torch.cuda.{name} requires CUDA support"),
        said("trailing comma not allowed without surrounding parentheses"),
        said("Tried to instantiate dummy base class {name}"),
        said("tuple index out of range"),
        said("tuple indices must be integers or slices, not {type}"),
        said("two or more data types in declaration of '{name}'"),
        said("unable to find numeric literal operator '{operator}'"),
        said("unexpected character after line continuation character"),
        said("unexpected EOF while parsing"),
        said("unexpected indent"),
        said("unexpected type {dtype}"),
        said("unhashable type: '{type}'"),
        said("unindent does not match any outer indentation level"),
        said("uninitialized '{name}'"),
        said("Unknown format code '{code}' for object of type '{type}'"),
        said("unmatched '{bracket}'"),
        said("unsupported format string passed to {type}.__format__"),
        said("unsupported operand type(s) for {operator}: '{left}' and '{right}'"),
        said("Unsupported ptr type {type} in `{function}`"),
        said("unsupported tensor index: {index}"),
        said("unterminated comment"),
        said("unterminated f-string literal (detected at line {line})"),
        said("unterminated string literal"),
        said("unterminated string literal (detected at line {line}; perhaps you escaped the end quote?)"),
        said("unterminated triple-quoted f-string literal (detected at line {line})"),
        said("unterminated triple-quoted string literal"),
        said("using rvalue as lvalue"),
        said("Value argument cannot be block type if pointer argument is not a block"),
        said(
            "view size is not compatible with input tensor's size and stride (at least one dimension spans "
            "across two contiguous subspaces). Use .reshape(...) instead."
        ),
        said("void value not ignored as it ought to be"),
        said("'{bracket}' was never closed"),
        said("'{name}' was not declared in this scope"),
        said("'{name}' was not declared in this scope; did you mean '{other}'?"),
        said("'{word}' without a previous '{other}'"),
        said("wrong type argument to bit-complement"),
        said("wrong type argument to unary minus"),
        said(
            "You must implement either the backward or vjp method for your custom autograd.Function to use "
            "it with backward mode AD."
        ),
        said("zip() argument {number} is shorter than argument {other}"),
        # ---- what arrives as text too: of the course's own preprocessor, of answers that call the course, of charts
        said("'{name}' is a name of what runs the kernels"),
        said("'{name}' is not for a kernel: the check could not see what it does"),
        said("a global object with a constructor would run when the kernel is loaded"),
        said("a kernel calls functions by their names, not by their addresses"),
        said("a kernel has no attributes but those of CUDA"),
        said("a kernel includes nothing: CUDA's own functions are there without a header"),
        said("a kernel jumps to no computed place"),
        said("a static variable needs a value that is known before the kernel runs"),
        said("an array needs a size"),
        said("an array's size must be known before the kernel runs, and the alignment of a variable be 16 or less"),
        said("g++ needs too much time or memory for it: do macros, templates or constants grow in it?"),
        said("new and delete have no memory to give here"),
        said("the compiler makes of this an instruction that the check does not know: {text}"),
        said("shared memory holds nothing at first, so a declaration gives it no value"),
        said("the variables of one thread take more than {most} KB"),
        said("this course's CUDA has no '{name}', and a kernel's own names do not begin with two underscores"),
        said(
            "this course's CUDA has no '{name}', and a kernel's own names do not begin with two underscores; "
            "did you mean '{near}'?"
        ),
        said("this launch brings no shared memory along, so the array needs a size"),
        said("{pragma} is no directive that a kernel may have"),
        said("'{name}' is declared and never defined"),
        said("a function is declared and never defined"),
        said("'{word}' has no place in a kernel"),
        said("this is the course's own softmax, or its choice of a kernel"),
        said("static assertion failed: TODO {number}"),
        said("rows of {n}"),
        said("o / l, column {i}"),
        said("{what}, recorded"),
    )
