"""The sentences of the engine that a person may read, as messages with named placeholders.

The engine writes its sentences in English, as f-strings, and knows of no language. This file reads its source: an
f-string is a message whose placeholders are named for what stands in them; so is text that is joined with +. Where a
part of a sentence is one of several constants ("row" or "rows"), each of them makes a message of its own.
"""

from __future__ import annotations

import ast
import itertools
import pathlib
import re

from grader.lessons.outline import OUTLINE

ROOT = pathlib.Path(__file__).resolve().parent.parent / "grader"
# Rooms whose words no learner and no instructor sees, or whose words are PyTorch's.
_SILENT = ("bench", "fast", "language", "worker")
# Authors work in English; names of fonts and of publications are names.
_NOT_SAID = ("cli/bench.py", "cli/explain.py", "cli/new.py", "gpus.py", "mistakes/stored.py", "notebook/fonts.py")
_CALLS = {"Mutant", "also", "compile", "sub", "fullmatch", "match", "search", "findall", "finditer", "split", "getenv"}
_SHOWN = {"hints", "title", "label", "sentence", "question", "help"}  # arguments that are always words for a person
_WORD = re.compile(r"[A-Za-z]{2,}|\b[aI]\b")
# Programs, patterns and lists of names.
_CODE = re.compile(
    r"^\s*(?:def |import |from |class |@|tl\.|torch\.|lambda|//|#|<[a-z/!]|\{\{|--|\^)|^[\w.]+\(|_ptr"
    r"|\\[bdsw(\[|]|\(\?|=.*=|\w=\x22|\w\|\w|\.\*|\[\w\w\]|CAST|^\w+, tl\.|^[-+*/] "
)
_MANY = 24  # messages that one sentence may make


# Words and parts of sentences that the engine fills into others, and that no rule tells from its names.
WORDS = (
    'hint("{id}") shows hints',
    "{kind} in the line `{line}`",
    "{kind} in the line `{line}`: {said}",
    "the compiler refuses line {number}, `{line}`: {said}",
    "m={m}, n={n}, {itemsize} byte per element, {bandwidth} bytes/s",
    "m={m}, n={n}, {itemsize} bytes per element, {bandwidth} bytes/s",
    "failed",
    "{cell} is not Python, so nothing in it ran: {error}",
    "PyTorch's",
    "Python's",
    "NumPy's",
    "{count} registers per thread",
    "traffic: read {read} MN of {may}, wrote {written} MN of {may2}",
    "traffic of {part}: read {read} MN of {may}, wrote {written} MN of {may2}",
    "invalid syntax. Perhaps you forgot a comma?",
    "{cell}, in the line `{line}`: {said}",
    "In time:",
    "In time: {text}",
    "Unmasked lanes outside the tensor in this load: {sum} of {size}.",
    "Unmasked lanes outside the tensor in this store: {sum} of {size}.",
    "program {called} loads {name} at {at}.",
    "program {called} stores {name} at {at}.",
    "memory to registers",
    "registers to memory",
    "between registers of threads",
    "to shared memory",
    "from shared memory",
    "in registers",
    "operation",
    "element",
    "reversed",
    "shuffled",
    "this",
    "integers",
    "warps",
    "shuffles",
    "barriers",
    "threads",
    "on",
    "device",
    "versions",
    "mode",
    "invalid syntax",
    "'{bracket}' was never closed",
    "unmatched '{bracket}'",
    "unexpected indent",
    "expected '{sign}'",
    "expected '{sign}' at end of input",
    "expected '{sign}' before '{word}'",
    "expected '{sign}' before '{word}' token",
    "expected '{sign}' or '{sign2}' before '{word}'",
    "'{name}' was not declared in this scope",
    "'{name}' does not name a type",
    "invalid types '{array}[{index}]' for array subscript",
    "redeclaration of '{name}'",
    "expected an indented block after {statement} on line {number}",
    "unterminated string literal",
    "{function}() missing {count} required positional arguments: {names}",
    "{function}() missing {count} required positional argument: {names}",
    "Line {number}, `{line}`",
    "{value} came back instead of a tensor",
    "{what} ends in OutOfBounds: {said}",
    "Stopped: {name} is a kernel: launch it with a grid, {name}[grid](...)",
    "Picture of the memories of the {gpu}.",
    "Picture of shared memory.",
    "`{line}`: {moves}. {lines}",
    "{name}: {registers} registers per thread; all numbers fit. {lines}",
    "{name}: {registers} registers per thread; {spills} did not fit and went to memory. {lines}",
    "Chart.",
    "Picture.",
    "Step {number}",
    "{count} exchanges",
    "its chip is that of the {gpu}",
    "function definition",
    "class definition",
    "'{word}' statement",
    "'{name}' was not declared in this scope; did you mean '{other}'?",
    "invalid character '{sign}' ({code})",
    "invalid non-printable character {code}",
    "unindent does not match any outer indentation level",
    "inconsistent use of tabs and spaces in indentation",
    "'{type}' object is not callable",
    "'{type}' object is not subscriptable",
    "'{type}' object is not iterable",
    "'{type}' object has no attribute '{name}'",
    "unsupported operand type(s) for {operator}: '{left}' and '{right}'",
    "'{operator}' not supported between instances of '{left}' and '{right}'",
    "not enough values to unpack (expected {expected}, got {got})",
    "too many values to unpack (expected {expected})",
    "list index out of range",
    "tuple index out of range",
    "name '{name}' is not defined",
    "Cannot access global variable {name} from within @jit'ed function",
    "Loop-carried variable {name} has initial type {one} but is re-assigned to {two} in loop! Please make sure that "
    "the type stays consistent.",
    "'{name}' is an invalid keyword argument for {function}",
    "division by zero",
    "integer division or modulo by zero",
    "integer modulo by zero",
    "cannot access local variable '{name}' where it is not associated with a value",
    "{function}() takes {count} positional arguments but {given} were given",
    "{function}() takes {count} positional argument but {given} were given",
    "{function}() got an unexpected keyword argument '{name}'",
    "{function}() got multiple values for argument '{name}'",
    "could not convert string to float: '{text}'",
    "cannot assign to literal here. Maybe you meant '==' instead of '='?",
    "invalid syntax. Maybe you meant '==' or ':=' instead of '='?",
    "Missing parentheses in call to 'print'. Did you mean print(...)?",
    "unterminated triple-quoted string literal",
    "closing parenthesis '{bracket}' does not match opening parenthesis '{other}'",
    "closing parenthesis '{bracket}' does not match opening parenthesis '{other}' on line {number}",
    "positional argument follows keyword argument",
    "duplicate argument '{name}' in function definition",
    "unexpected character after line continuation character",
    "f-string: expecting '{sign}'",
    "expected 'except' or 'finally' block",
    "'await' outside async function",
    "object of type '{type}' has no len()",
    "'{type}' object does not support item assignment",
    "maximum recursion depth exceeded",
    "invalid literal for int() with base {base}: '{text}'",
    "No module named '{name}'",
    "{function}() takes {count} positional arguments but {given} was given",
    "extended character {sign} is not valid in an identifier",
    "cannot convert '{type}' to '{other}' in initialization",
    "cannot convert '{type}' to '{other}' in assignment",
    "invalid conversion from '{type}' to '{other}'",
    "'{name}' cannot be used as a function",
    "conflicting declaration '{name}'",
    "invalid type argument of unary '{operator}' (have '{type}')",
    "f-string: empty expression not allowed",
    "{name} is an object of the type {type}, and no function",
    "a kernel cannot return a value",
    "expected 'else' after 'if' expression",
    "invalid decimal literal",
    "pop from empty list",
    "{tensor} as an attribute of ctx",
    "bad operand type for unary {operator}: '{type}'",
    "'{type}' object cannot be interpreted as an integer",
    "Boolean value of Tensor with more than one value is ambiguous",
    "mat1 and mat2 shapes cannot be multiplied ({one} and {two})",
    "numel ({count}) exceeds triton maximum tensor numel ({most})",
    "Cannot make_shape_compatible: incompatible dimensions at index {axis}: {one} and {two}",
    "the launch got multiple values for keyword argument '{name}'",
    "too few arguments to function '{function}'",
    "assignment of read-only variable '{name}'",
    "assignment of read-only location '{name}'",
    "void value not ignored as it ought to be",
    "no match for 'operator{operator}' (operand types are '{one}' and '{two}')",
    "binding reference of type '{one}' to '{two}' discards qualifiers",
    "cannot bind non-const lvalue reference of type '{one}' to an rvalue of type '{two}'",
    "cannot bind non-const lvalue reference of type '{one}' to a value of type '{two}'",
    "'{type}' has no member named '{name}'",
    "request for member '{name}' in '{of}', which is of non-class type '{type}'",
    "lvalue required as left operand of assignment",
    "lvalue required as increment operand",
    "too many arguments to function '{function}'",
    "expected primary-expression before '{word}' token",
    "expected unqualified-id before '{word}' token",
    "expected initializer before '{word}'",
    "axis {axis} out of bounds for shape {shape}",
    "module '{module}' has no attribute '{name}'",
    "can only convert an array of size 1 to a Python scalar",
    "list indices must be integers or slices, not {type}",
    "The size of tensor a ({one}) must match the size of tensor b ({two}) at non-singleton dimension {axis}",
    "Dimension out of range (expected to be in range of [{low}, {high}], but got {got})",
    "no matching function for call to '{function}'",
    "invalid operands of types '{one}' and '{two}' to binary 'operator{operator}'",
    "return-statement with a value, in function returning 'void'",
    "could not convert '{value}' from '{one}' to '{two}'",
    "incompatible types in assignment of '{one}' to '{two}'",
    "expected primary-expression before '{word}'",
    "expected unqualified-id before '{word}'",
    "expected unqualified-id before numeric constant",
    "expected initializer before '{word}' token",
    "expected '{sign}' at end of member declaration",
    "'{word}' without a previous '{other}'",
    "uninitialized '{name}'",
    "two or more data types in declaration of '{name}'",
    "declaration of '{name}' shadows a parameter",
    "declaration of '{name}' has no initializer",
    "base operand of '{operator}' has non-pointer type '{type}'",
    "a function-definition is not allowed here before '{word}' token",
    "a template declaration cannot appear at block scope",
    "break statement not within loop or switch",
    "continue statement not within a loop",
    "case label '{value}' not within a switch statement",
    "label '{name}' used but not defined",
    "invalid digit {digit} in octal constant",
    "unable to find numeric literal operator '{operator}'",
    # ---- Python cannot read a text
    "did you forget parentheses around the comprehension target?",
    "Generator expression must be parenthesized",
    "multiple exception types must be parenthesized",
    "Function parameters cannot be parenthesized",
    "Lambda expression parameters cannot be parenthesized",
    "'{word}' outside function",
    "':' expected after dictionary key",
    "expression expected after dictionary key and ':'",
    "cannot use a starred expression in a dictionary value",
    "cannot use starred expression here",
    "starred assignment target must be in a list or tuple",
    "multiple starred expressions in assignment",
    "only single target (not {kind}) can be annotated",
    "illegal target for annotation",
    "'{kind}' is an illegal expression for augmented assignment",
    "cannot assign to conditional expression",
    "cannot assign to set display",
    "cannot assign to generator expression",
    "cannot delete {kind}",
    "cannot use assignment expressions with {kind}",
    "cannot mix bytes and nonbytes literals",
    "default 'except:' must be last",
    "named arguments must follow bare *",
    "iterable argument unpacking follows keyword argument unpacking",
    "expected default value expression",
    "expected one or more exception types",
    "expected an indented block",
    "unexpected EOF while parsing",
    "unterminated string literal (detected at line {line}; perhaps you escaped the end quote?)",
    "unterminated f-string literal (detected at line {line})",
    "unterminated triple-quoted f-string literal (detected at line {line})",
    "f-string: single '{sign}' is not allowed",
    "f-string: unterminated string",
    "f-string: expecting a valid expression after '{sign}'",
    "f-string: valid expression required before '{sign}'",
    "f-string expression part cannot include a backslash",
    "invalid octal literal",
    "invalid binary literal",
    "invalid imaginary literal",
    "invalid digit '{digit}' in octal literal",
    "trailing comma not allowed without surrounding parentheses",
    "name '{name}' is assigned to before global declaration",
    "name '{name}' is used prior to global declaration",
    "name '{name}' is parameter and global",
    "no binding for nonlocal '{name}' found",
    "nonlocal declaration not allowed at module level",
    "import * only allowed at module level",
    "too many nested parentheses",
    "assignment expression cannot be used in a comprehension iterable expression",
    "assignment expression cannot rebind comprehension iteration variable '{name}'",
    "dict unpacking cannot be used in dict comprehension",
    "iterable unpacking cannot be used in comprehension",
    "bytes can only contain ASCII literal characters",
    "source code string cannot contain null bytes",
    # ---- Python stops
    "EOF when reading a line",
    "list assignment index out of range",
    "local variable '{name}' referenced before assignment",
    "cannot access free variable '{name}' where it is not associated with a value in enclosing scope",
    "({number}, 'Numerical result out of range')",
    "negative shift count",
    "dictionary changed size during iteration",
    "reduce() of empty iterable with no initial value",
    "cannot import name '{name}' from '{module}'",
    "{name}() takes no arguments",
    "'{type}' object is not an iterator",
    "zip() argument {number} is shorter than argument {other}",
    "not all arguments converted during string formatting",
    "Unknown format code '{code}' for object of type '{type}'",
    "Invalid format specifier",
    "assignment destination is read-only",
    "exponent has no digits",
    "too many decimal points in number",
    "array must be initialized with a brace-enclosed initializer",
    "too many initializers for '{type}'",
    "conversion from '{one}' to non-scalar type '{two}' requested",
    "conversion from '{one}' to '{two}' in a converted constant expression",
    "wrong type argument to unary minus",
    "wrong type argument to bit-complement",
    "operands to '{operator}' have different types '{one}' and '{two}'",
    "invalid cast from type '{one}' to type '{two}'",
    "invalid '{cast}' from type '{one}' to type '{two}'",
    "'{cast}' from type '{one}' to type '{two}' casts away qualifiers",
    "call of overloaded '{function}' is ambiguous",
    "'{name}' declared as reference but not initialized",
    "assignment of read-only reference '{name}'",
    "storage size of '{name}' isn't constant",
    "size '{size}' of array '{name}' is negative",
    "size of array '{name}' has non-integral type '{type}'",
    "initializer in range-based 'for' loop",
    "cannot convert '{type}' to '{other}'",
    "cannot convert '{type}' to '{other}' in return",
    "using rvalue as lvalue",
    "lvalue required as decrement operand",
    "'{name}' is not a constant expression",
    "exception handling disabled, use '-fexceptions' to enable",
    "missing terminating {sign} character",
    "unterminated comment",
    "#endif without #if",
    "redefinition of '{name}'",
    "float division by zero",
    "float modulo",
    "math domain error",
    "math range error",
    "string index out of range",
    "can only concatenate {one} (not {two}) to {three}",
    "must be real number, not {type}",
    "'break' outside loop",
    "'continue' not properly in loop",
    "can't use starred expression here",
    "cannot assign to {word}",
    "cannot assign to function call",
    "cannot assign to literal",
    "cannot assign to expression",
    "cannot delete {word}",
    "expression cannot contain assignment, perhaps you meant {operator}?",
    "invalid hexadecimal literal",
    "leading zeros in decimal integer literals are not permitted; use an 0o prefix for octal integers",
    "cannot assign to '{name}' here. Maybe you meant '==' instead of '='?",
    "parameter without a default follows parameter with a default",
    "non-default argument follows default argument",
    "positional argument follows keyword argument unpacking",
    "keyword argument repeated: {name}",
    "tuple indices must be integers or slices, not {type}",
    "string indices must be integers, not '{type}'",
    "cannot unpack non-iterable {type} object",
    "argument of type '{type}' is not iterable",
    "{function}() arg is an empty sequence",
    "{function}() iterable argument is empty",
    "unhashable type: '{type}'",
    "slice indices must be integers or None or have an __index__ method",
    "range() arg 3 must not be zero",
    "cannot convert float NaN to integer",
    "cannot convert float infinity to integer",
    "int too large to convert to float",
    "unsupported format string passed to {type}.__format__",
    "int() argument must be a string, a bytes-like object or a real number, not '{type}'",
    "float() argument must be a string or a real number, not '{type}'",
    "bad operand type for {function}(): '{type}'",
    "expected a positive input, got {number}",
    "expected a nonnegative input, got {number}",
    "maximum recursion depth exceeded in comparison",
    "maximum recursion depth exceeded while calling a Python object",
    "only one element tensors can be converted to Python scalars",
    "a Tensor with {count} elements cannot be converted to Scalar",
    "expected scalar type {one} but found {two}",
    "result type {one} can't be cast to the desired output type {two}",
    "The expanded size of the tensor ({one}) must match the existing size ({two}) at non-singleton dimension {axis}. "
    "Target sizes: {shape}. Tensor sizes: {other}",
    "shape '{shape}' is invalid for input of size {size}",
    "expected Tensor as element {place} in argument {number}, but got {type}",
    "tensors used as indices must be long, int, byte or bool tensors",
    "too many indices for tensor of dimension {count}",
    "index {index} is out of bounds for dimension {axis} with size {size}",
    "index {index} is out of bounds for axis {axis} with size {size}",
    "{name} not implemented for '{dtype}'",
    "{function}(): argument '{name}' (position {number}) must be {type}, not {other}",
    "{function}(): argument '{name}' must be {type}, not {other}",
    "{function}(): argument '{name}' (position {number}) must be tuple of ints, but found element of type {type} at "
    "pos {place}",
    "view size is not compatible with input tensor's size and stride (at least one dimension spans across two "
    "contiguous subspaces). Use .reshape(...) instead.",
    "{function}(): could not infer output dtype. Input dtype must be either a floating point or complex dtype. "
    "Got: {dtype}",
    "{function}(): Expected reduction dim to be specified for input.numel() == 0. Specify the reduction dim with the "
    "'dim' argument.",
    "{function}() received an invalid combination of arguments - got ({given})",
    "element 0 of tensors does not require grad and does not have a grad_fn",
    "one of the variables needed for gradient computation has been modified by an inplace operation",
    "grad can be implicitly created only for scalar outputs",
    "a leaf Variable that requires grad is being used in an in-place operation.",
    "Can't call numpy() on Tensor that requires grad. Use tensor.detach().numpy() instead.",
    "save_for_backward can only save variables, but argument {number} is of type {type}",
    "function {function} returned an incorrect number of gradients (expected {expected}, got {got})",
    "Expected all tensors to be on the same device",
    "output with shape {one} doesn't match the broadcast shape {two}",
    "operands could not be broadcast together with shapes {one} {two}",
    "cannot reshape array of size {size} into shape {shape}",
    "setting an array element with a sequence.",
    "only integer scalar arrays can be converted to a scalar index",
    "The truth value of an array with more than one element is ambiguous. Use a.any() or a.all()",
    "unexpected type {dtype}",
    "Unsupported ptr type {type} in `{function}`",
    "Mask must have boolean scalar type",
    "arange's range must be a power of 2",
    "arange's arguments must be of type tl.constexpr",
    "arange's end argument must be greater than the start argument",
    "Expected dtype {dtypes} but got {dtype}",
    "invalid operands of type {one} and {two}",
    "Cannot bitcast data-type of size {one} to data-type of size {two}",
    "`other` cannot be provided without `mask`",
    "program_id axis must be 0, 1, or 2 but got {axis}",
    "Shape element {place} must be a power of 2",
    "Shape element {place} must have type `constexpr[int]`, got {type}",
    "unsupported tensor index: {index}",
    "Did you forget to add @triton.jit ? (`_semantic` argument must be provided outside of JIT functions.)",
    "axis [{axis}] out of bounds",
    "Both operands must be same dtype. Got {one} and {two}",
    "First input ({one}) and second input ({two}) must have the same dtype!",
    "expected declaration before '}}' token",
    "{one} did not match {two}",
    "key contains names that are not kernel arguments: {names}. Valid argument names are: {valid}.",
    "restore_value contains names that are not kernel arguments: {names}. Valid argument names are: {valid}.",
    "reset_to_zero contains names that are not kernel arguments: {names}. Valid argument names are: {valid}.",
    "attribute '{name}' of '{type}' objects is not writable",
    "Dimension specified as {axis} but tensor has no dimensions",
    "einsum(): the number of subscripts in the equation ({one}) does not match the number of dimensions ({two}) for "
    "operand {operand} and no ellipsis was given",
    "expected sequence of length {one} at dim {axis} (got {two})",
    "You must implement either the backward or vjp method for your custom autograd.Function to use it with backward "
    "mode AD.",
    "input and other must have equal ranks >= 2",
    "input and other must have equal reduction dimensions",
    "cannot cast a block to {type}",
    "pairs needs an NVIDIA GPU and 16-bit rows that consist of 32-bit words",
    "shared needs an NVIDIA GPU, 32-bit words, and room for all programs of a row at once",
    "invalid initialization of non-const reference of type '{one}' from an rvalue of type '{two}'",
    "increment of read-only variable '{name}'",
    "decrement of read-only variable '{name}'",
    "increment of read-only location '{name}'",
    "assignment of read-only parameter '{name}'",
    "'{name}' is not a class, namespace, or enumeration",
    "empty character constant",
    "exceptions must derive from BaseException",
    "{function}(): argument '{name}' (position {number}) must be tuple of ints, not {type}",
    "isinstance() arg 2 must be a type, a tuple of types, or a union",
    "{function} expected at most {count} argument, got {got}",
    "{function} expected at most {count} arguments, got {got}",
    "{function} expected at least {count} argument, got {got}",
    "{function} expected at least {count} arguments, got {got}",
    "{function} expected {count} argument, got {got}",
    "{function} expected {count} arguments, got {got}",
    "{function}() takes exactly one argument ({got} given)",
    "{function}() takes exactly {count} arguments ({got} given)",
    "{function}() takes at least {count} argument ({got} given)",
    "{function}() takes at least {count} arguments ({got} given)",
    "{function}() takes at most {count} arguments ({got} given)",
    "{function}() takes no arguments ({got} given)",
    "{function}() takes no keyword arguments",
    "{function}() missing required argument '{name}' (pos {place})",
    "{function}() got too many arguments",
    "can't multiply sequence by non-int of type '{type}'",
    "sequence item {place}: expected str instance, {type} found",
    "empty separator",
    "must be str or None, not {type}",
    "missing ), unterminated subpattern at position {place}",
    "[Errno {number}] File name too long: '{name}'",
    "[Errno {number}] No such file or directory: '{name}'",
    "too many indices for tensor of rank {rank}",
    "Expected {name} argument to have shape {one} but got {two}",
    "Ternary expression with dynamic condition has inconsistent types {one} and {two}",
    "Value argument cannot be block type if pointer argument is not a block",
    "Mask argument cannot be block type if pointer argument is not a block",
    "cannot convert {value} of type <class '{type}'> to tensor",
    "{type} is not string",
    "dot : expected both vectors to have same dtype, but found {type} and {other}",
    "self must be a matrix",
    "a ConstexprFunction",
    "expand({tensor}, size={size}): the number of sizes provided ({count}) must be greater or equal to the number of "
    "dimensions in the tensor ({axes})",
    "inconsistent tensor size, expected tensor {shape} and src {other} to have the same number of elements, but got "
    "{count} and {others} elements respectively",
    "stack expects each tensor to be equal size, but got {shape} at entry {at} and {other} at entry {other_at}",
    "only tuple comprehensions are supported",
    "{name} is not defined",
    "Cannot evaluate f-string containing non-constexpr conversion values, found conversion of type {type}",
    "Torch not compiled with CUDA enabled",
    "{function}(): argument '{name}' (position {number}) must be tuple of Tensors, not {other}",
    "{function}(): argument '{name}' failed to unpack the object at pos {place} with error {error}",
    "only integer tensors of a single element can be converted to an index",
    "Expected one of {names} device type at start of device string: {text}",
    "both arguments to matmul need to be at least 1D, but they are {one} and {two}",
    "a Tensor",
    "a str",
    "a list",
    "an object of the type function",
    "each",
    "how many",
    "together",
    "together ({m}, {d})",
    "{name}: threads {span}: ({m}, {d}) ({m2}, {d2}) … ({m3}, {d3}); together ({m4}, {d4}).",
    "at most",
    "not published",
    "shared memory",
    "memory",
    "{kernel} on {gpu}, {warps} warps",
    "{name}: from memory {read}; to memory {written}; {inside}",
    "half",
    "rows of {n}",
    "values, among them 0, inf and NaN",
    "error",
    "randn",
    "causal",
    "edges",
    "tuned",
    "points",
    "ragged",
    "load",
    "store",
    "read",
    "written",
    "nothing",
    "once",
    "twice",
    "row",
    "column",
    "place",
    "lane",
    "bank",
    "step",
    "begin",
    "wrong",
    "passed",
    "registers",
    "interpreted",
    "compiled",
    "interpreter",
    "kernels",
    "isolation",
    "system",
    "course",
    "tested",
    "none",
    "Tree",
    "Butterfly",
    "Unnamed",
    "skipped",
    "computed",
    "partial",
    "masked",
    "L2 cache",
    "row {row}",
    "column {column}",
    "rows {first}-{last}",
    "columns {first}-{last}",
    "rows {first} to {last}",
    "columns {first} to {last}",
    "elements {first}-{last}",
    "elements {first} to {last}",
    "a tensor of {dtype}, shape {shape}",
    "batch {batch}",
    "head {head}",
    "query {query}",
    "queries {first}-{last}",
    "key {key}",
    "keys {first}-{last}",
    "place {at} = {origin}, {shown}",
    "lane {at} = {origin}, {shown}",
    "{name}: {word}s 0 to {value} hold {list}.",
    "loads {tensor}, {touched}",
    "stores {tensor}, {touched}",
    "first {pair}",
    "lowest {pair}",
    "highest {pair}",
    "last {pair}",
    "{who} reads shared memory that {other} has stored to",
    "{who} still reads shared memory that {other} has stored to",
    "{who} stores to shared memory that {other} has read already",
    "{who} stores to shared memory that {other} has read",
    "{who} stores another value to shared memory than {other} has stored there",
    "{number} points",
    "traffic of {part}: read {moved}, wrote {moved2}",
    "stray '{sign}' in program",
    "static assertion failed: TODO {number}",
    "cannot assign to function call here. Maybe you meant '==' instead of '='?",
    "cannot assign to expression here. Maybe you meant '==' instead of '='?",
    "cannot assign to attribute here. Maybe you meant '==' instead of '='?",
    "cannot assign to subscript here. Maybe you meant '==' instead of '='?",
    "{who} loads from an address that belongs to no tensor and to no shared memory",
    "{who} stores to an address that belongs to no tensor and to no shared memory",
    "{who} loads from a variable that all blocks share, an address that belongs to no tensor and to no shared memory",
    "{who} stores to a variable that all blocks share, an address that belongs to no tensor and to no shared memory",
    "{who} loads from shared memory with {size} bytes at once, but the address is no multiple",
    "{who} stores to shared memory with {size} bytes at once, but the address is no multiple",
    "an object of the type number of over {bits} bits",
    "an object of the type number of over {bits} bits is not a number",
    "an object of the type fraction of numbers of over {bits} bits",
    "an object of the type something nested very deeply",
    "an object of the type tensor of {dtype}, shape {shape}",
    "machine_code takes a kernel and then the arguments of its launch, and got a {kind}: machine_code(kernel, y, x, "
    "BLOCK=8, gpu='T4')",
    "trace takes a kernel or a function and then its arguments, and got a {kind}: trace(kernel, y, x, BLOCK=8, "
    "grid=(4,))",
    *(f"{number}  {slug}" for number, (slug, _) in OUTLINE.items()),
)


def of_engine() -> dict[str, dict[str, str]]:
    """{room: {message: a note on its placeholders}} for the rooms of grader/, in the order of their files."""
    found: dict[str, dict[str, str]] = {}
    for path in sorted(ROOT.rglob("*.py")):
        place = path.relative_to(ROOT).parts
        room = place[0] if len(place) > 1 else "root"
        if room not in _SILENT and "skeleton" not in place and "/".join(place) not in _NOT_SAID:
            found.setdefault(room, {}).update(of_source(path.read_text(encoding="utf-8")))
    for path in sorted(ROOT.rglob("*.html")):
        found.setdefault("export", {}).update(of_template(path.read_text(encoding="utf-8")))
    return found


def of_source(source: str) -> dict[str, str]:
    """{message: note} for the sentences in a file."""
    reader = _Reader()
    reader.visit(ast.parse(source))
    return reader.found


def of_words(node: ast.expr) -> dict[str, str]:
    """{message: note} for an expression whose text is shown, also if it is a single word."""
    parts, notes, _ = _parts(node, {})
    found = map("".join, itertools.islice(itertools.product(*parts), _MANY))
    return {_trimmed(each): "" for each in found if _WORD.search(re.sub(r"\{\w+\}", "", each))}


def of_template(page: str) -> dict[str, str]:
    """{message: note} for the texts in a template of Jinja2."""
    found: dict[str, str] = {}
    plain = re.sub(r"\{%.*?%\}|<bdi translate.*?</bdi>|<(style|script)\b.*?</\1>", "<", page, flags=re.DOTALL)
    for text in [*re.findall(r">([^<>]+)", plain), *re.findall(r'(?:aria-label|title)="([^"]+)"', plain)]:
        parts = [
            _of_expression(part) if part.startswith("{{") else [part]
            for part in re.split(r"(\{\{.*?\}\})", " ".join(text.split()))
            if part
        ]
        numbers = itertools.count(1)
        names = [[f"{{value{next(numbers)}}}"] if part == [""] else part for part in parts]
        for message in map("".join, itertools.product(*names)):
            if _WORD.search(re.sub(r"\{\w+\}", "", message)):
                found.setdefault(message.strip(), "")
    return found


def _of_expression(text: str) -> list[str]:
    """The constants of `"s" if x`, or one empty text for an expression with any value."""
    constants = re.fullmatch(r'\{\{ "([^"]*)" if .*?(?: else "([^"]*)")? \}\}', text)
    return [constants[1], constants[2] or ""] if constants else [""]


class _Reader(ast.NodeVisitor):
    def __init__(self):
        self.found: dict[str, str] = {}
        self.known: dict[str, list[str]] = {}  # local names that hold one of several constants

    def visit_FunctionDef(self, node):
        outer, self.known = self.known, {}
        for each in ast.walk(node):
            if isinstance(each, ast.Assign) and len(each.targets) == 1 and isinstance(each.targets[0], ast.Name):
                name, constants = each.targets[0].id, _constants(each.value, {})
                before = self.known.get(name, [])
                self.known[name] = before + constants if constants and None not in before else [None]
        self.known = {name: found for name, found in self.known.items() if None not in found}
        self.generic_visit(node)
        self.known = outer

    def visit_Call(self, node):
        name = getattr(node.func, "id", getattr(node.func, "attr", ""))
        if name.strip("_") == "count" and len(node.args) == 2 and isinstance(node.args[1], ast.Constant):
            for word in (f"{node.args[1].value}", f"{node.args[1].value}s"):
                self.found.setdefault(f"{{count}} {word}", "")
        shown = node.args[1:3] if name == "Mistake" else []
        for each in [*shown, *(keyword.value for keyword in node.keywords if keyword.arg in _SHOWN)]:
            for text in each.elts if isinstance(each, (ast.Tuple, ast.List)) else [each]:
                self._add(text, always=True)
        if name not in _CALLS:
            self.generic_visit(node)

    def visit_Expr(self, node):
        if not isinstance(node.value, ast.Constant):  # a docstring otherwise
            self.generic_visit(node)

    def visit_Subscript(self, node):
        self.visit(node.value)
        if not isinstance(node.slice, ast.Constant):
            self.visit(node.slice)

    def visit_Compare(self, node):
        """What text is compared with is no sentence."""

    def visit_Tuple(self, node):
        # A case: what its input is called, and the family of inputs.
        family = node.elts[1] if len(node.elts) > 1 else None
        if isinstance(family, ast.Attribute) and ast.unparse(family.value) == "inputs":
            if isinstance(node.elts[0], ast.Constant) and isinstance(node.elts[0].value, str):
                self.found.setdefault(node.elts[0].value, "")
        self.generic_visit(node)

    def visit_JoinedStr(self, node):
        self._add(node)

    def visit_BinOp(self, node):
        if isinstance(node.op, ast.Add) and any(isinstance(n, (ast.Constant, ast.JoinedStr)) for n in _chain(node)):
            self._add(node)
        else:
            self.generic_visit(node)

    def visit_Constant(self, node):
        if isinstance(node.value, str):
            self._add(node)

    def _add(self, node, always: bool = False):
        parts, notes, inner = _parts(node, self.known)
        for message in map("".join, itertools.islice(itertools.product(*parts), _MANY)):
            if (always and _says(message)) or _is_sentence(message):
                used = [f"{{{name}}}: {text}" for name, text in notes.items() if f"{{{name}}}" in message]
                self.found.setdefault(_trimmed(message), "; ".join(used))
        for each in inner:
            self.visit(each)


def _trimmed(message: str) -> str:
    return message.strip()


def _chain(node) -> list:
    if isinstance(node, ast.BinOp) and isinstance(node.op, ast.Add):
        return _chain(node.left) + _chain(node.right)
    return [node]


def _parts(node, known: dict[str, list[str]]) -> tuple[list[list[str]], dict[str, str], list]:
    """(the choices for each part of a sentence, {placeholder: expression}, expressions with sentences of their own)."""
    parts, notes, inner = [], {}, []
    for each in _chain(node):
        for value in each.values if isinstance(each, ast.JoinedStr) else [each]:
            if isinstance(value, ast.Constant) and isinstance(value.value, str):
                parts.append([value.value.replace("{", "{{").replace("}", "}}")])
                continue
            expression = value.value if isinstance(value, ast.FormattedValue) else value
            constants = _constants(expression, known)
            if constants is not None:
                parts.append(constants)
                continue
            name = _unique(_name(expression), notes, ast.unparse(expression))
            parts.append([f"{{{name}}}"])
            inner.append(expression)
    return parts, notes, inner


def _constants(node, known: dict[str, list[str]]) -> list[str] | None:
    """The constants that an expression may be: `a if x else b`, `"s" * (n > 1)`, or a name that holds one of some."""
    if isinstance(node, ast.IfExp):
        both = [_constants(part, known) for part in (node.body, node.orelse)]
        return None if None in both else both[0] + both[1]
    if isinstance(node, ast.BinOp) and isinstance(node.op, ast.Mult) and isinstance(node.left, ast.Constant):
        return [node.left.value, ""] if isinstance(node.left.value, str) else None
    if isinstance(node, ast.Name):
        return known.get(node.id)
    return [node.value] if isinstance(node, ast.Constant) and isinstance(node.value, str) else None


def _name(node) -> str:
    """A short name for what stands in a placeholder."""
    if isinstance(node, ast.Name):
        return node.id.strip("_") or "value"
    if isinstance(node, ast.Attribute):
        return node.attr.strip("_")
    if isinstance(node, ast.Subscript):
        key = node.slice
        return str(key.value) if isinstance(key, ast.Constant) and str(key.value).isidentifier() else _name(node.value)
    if isinstance(node, ast.Call):
        name = getattr(node.func, "attr", getattr(node.func, "id", "value"))
        if name == "join":
            return "list"
        if name == "len" and node.args:
            return "count"
        plain = name in ("str", "repr", "int", "round", "strip") and node.args
        return _name(node.args[0]) if plain else name.strip("_")
    return "value"


def _unique(name: str, notes: dict[str, str], text: str) -> str:
    number, free = 2, name
    while notes.get(free, text) != text:
        free, number = f"{name}{number}", number + 1
    notes[free] = text
    return free


def _says(message: str) -> bool:
    """Whether a text that is shown has a word in it, and is more than one of the code's names."""
    plain = re.sub(r"\{\w+\}", " ", message)
    return bool(_WORD.search(plain)) and not re.fullmatch(r"\s*\w+\s*", plain)


def _is_sentence(message: str) -> bool:
    plain = re.sub(r"\{\w+\}|`[^`]*`", " ", message)
    # `row {row}` and `around -200` have one word, and are more than a name.
    least = 1 if re.search(r"\{\w|\d", message.replace("{{", "")) else 2
    prose = re.sub(r": \w+\([^()]*\)$", "", message)  # a sentence may end with an example of a call
    if len(_WORD.findall(plain)) < least or " " not in message or _CODE.search(prose):
        return False
    if not re.fullmatch(r"[\w\s]*_[\w\s]*", message):
        return True
    names = sum("_" in word for word in message.split())
    return names * 2 < len(message.split()) and "\n" not in message  # else a list of names
