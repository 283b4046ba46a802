"""The English words: a module for each tab, a package for Learn, one each for page, rooms, glossary, scan, one head."""

from viz.text.en import classroom, explore, generate, glossary, learn, mask, one_head, page, permute, scan

MESSAGES: dict[str, str] = {
    **page.MESSAGES,
    **classroom.MESSAGES,
    **glossary.MESSAGES,
    **learn.MESSAGES,
    **explore.MESSAGES,
    **scan.MESSAGES,
    **one_head.MESSAGES,
    **generate.MESSAGES,
    **mask.MESSAGES,
    **permute.MESSAGES,
}
