"""The Chinese words in the equations of tab Learn."""

from __future__ import annotations

MESSAGES = {
    "equation_about": "约",
    "equation_all_that_is_not_hidden": "所有未被遮住的词元",
    "equation_answer": "答案",
    "equation_bits": "比特",
    "equation_blocks": "块数",
    "equation_byte": "字节",
    "equation_bytes": "字节数",
    "equation_bytes_a_number": "每个数的字节数",
    "equation_cells_of": "格，共",
    "equation_chosen": "选中的位置",
    "equation_film": "电影",
    "equation_follows_or_not": "是否紧接",
    "equation_head": "头",
    "equation_head_of": "头，取自",
    "equation_layers": "层数",
    "equation_lost": "失去",
    "equation_or": "或",
    "equation_parameters": "参数量",
    "equation_person": "人",
    "equation_token": "词元",
    "equation_vocabulary": "词表大小",
    "equation_returned": "恢复",
    "equation_rival": "对照词元",
    "equation_strided": "跨步：",
    "equation_where_there_is_an_edge_else": "（有边时），否则为",
}
