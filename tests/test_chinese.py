"""The Chinese catalogues by rules that a program can hold. What reads well, a reader decides."""

import functools
import re

import catalogues
import pytest

DOMAINS = sorted(path.stem for path in (catalogues.LOCALE / "zh_Hans" / "LC_MESSAGES").glob("*.po"))
# Here 内存 is the memory of the computer, or of the process that judges an answer.
_OF_THE_HOST = {
    "feedback_cli", "feedback_cuda", "feedback_isolation", "feedback_judge", "feedback_sentence", "page_instructors",
}  # fmt: skip
# Terms that hold 内存, and places where it is the host's in a catalogue that is about a GPU.
_MEMORY = (
    "共享内存", "全局内存", "本地内存", "内存序", "内存布局", "内存不足", "非法内存访问", "CPU 的内存", "CPU 内存",
    "只有一种内存", "申请的内存",
)  # fmt: skip
# {pattern: what engineers write}
_TERMS = {
    "行长(?!度)": "每行的长度: 行长 is the head of a bank",
    "流多处理器": "流式多处理器",
    "规约": "归约",
    "索引": "下标",
    "写错时|漏掉时": "易错点",
    "用文字来说": "读图",
    "数是对的": "结果是对的",
    "份额": "占比",
    "毒值": "NaN",
    "更多地讲": "细讲",
    "受带宽限制|受算力限制": "访存受限, 计算受限",
    "遮住": "屏蔽",
    "常驻": "持久化 for persistent, 驻留 for resident",
    "次序": "顺序",
    "走[一二两三]遍|走第|走完[这第]|沿[^，。]{0,8}走": "扫描",
    r"\d (?:行|列|个|次)?或更多": "不少于, 及以上",
}
# {pattern: rule}, for a text without code, formulas, links and placeholders' names
_HAN = "\u4e00-\u9fff"
_MARKS = {
    r"[\d}] %": "a percent sign stands at its number: 5%",
    r"[，。；：？！、（“] (?=\S)": "no space behind a full-width mark",
    r"\S [，。；：？！、）”]": "no space before a full-width mark",
    rf"[{_HAN}] [{_HAN}]": "no space between Chinese characters",
    rf"[{_HAN}][,;:?!]|[,;:?!][{_HAN}]": "full-width marks beside Chinese",
    rf"(?<!\w)\([^()]*[{_HAN}][^()]*\)": "full-width parentheses around Chinese, but for exp(…) and the like",
    rf"[{_HAN}]\"|\"[{_HAN}]": "“ and ” around Chinese",
    r"。。|，，|：：": "one mark",
}


@functools.cache
def said(domain):
    return [*catalogues.said(catalogues.read("zh_Hans", domain)).values()]


def bare(text):
    """A text whose code, formulas and addresses are C, and whose bold and italic marks are gone."""
    text = re.sub(r"`[^`]*`|\$[^$]*\$", "C", text)
    text = re.sub(r"\]\([^)]*\)", "]", re.sub(r"\{\w+\}", "{}", text))
    text = re.sub(r"(?<=[，。；：？！、）”])\*+ ", "", text)  # Markdown wants this space where bold text ends in a mark
    return re.sub(r"\*+|</?(?:em|strong)>", "", text)


@pytest.mark.parametrize("domain", DOMAINS)
def test_terms_are_those_of_the_field(domain):
    found = [f"{text}: {better}" for text in said(domain) for term, better in _TERMS.items() if re.search(term, text)]
    assert found == []


@pytest.mark.parametrize("domain", [domain for domain in DOMAINS if domain not in _OF_THE_HOST])
def test_the_memory_of_a_gpu_has_its_own_name(domain):
    """显存: with 内存, readers think of the host's."""
    assert [text for text in said(domain) if "内存" in re.sub("|".join(_MEMORY), "", text)] == []


@pytest.mark.parametrize("domain", DOMAINS)
def test_marks_and_spaces_follow_one_rule(domain):
    found = [
        f"{text}: {rule}"
        for text in said(domain)
        for pattern, rule in _MARKS.items() if re.search(pattern, bare(text))
    ]  # fmt: skip
    assert found == []


@pytest.mark.parametrize(
    "text", ["用了 5 % 的带宽", "加载 ，存储", "两 行", "块,线程", "(第一行)", "显存 。", '写 "行"']
)
def test_a_wrong_mark_is_seen(text):
    assert [rule for pattern, rule in _MARKS.items() if re.search(pattern, bare(text))]
