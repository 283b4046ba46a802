"""The English words: a module for each tab, a package for Learn, one each for what several or parts of them say."""

from viz.text.en import (
    classroom,
    explore,
    forming,
    generate,
    glossary,
    learn,
    mask,
    one_head,
    page,
    permute,
    prediction,
    scan,
)

MESSAGES: dict[str, str] = {
    **page.MESSAGES,
    **classroom.MESSAGES,
    **glossary.MESSAGES,
    **learn.MESSAGES,
    **explore.MESSAGES,
    **prediction.MESSAGES,
    **forming.MESSAGES,
    **scan.MESSAGES,
    **one_head.MESSAGES,
    **generate.MESSAGES,
    **mask.MESSAGES,
    **permute.MESSAGES,
}
