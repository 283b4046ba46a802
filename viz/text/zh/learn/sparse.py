"""Chinese messages of Learn's section "Sparse"."""

from __future__ import annotations

MESSAGES = {
    "learn_sparse_title": "稀疏注意力",
    "learn_sparse_text": "在稠密注意力（dense attention）中，每个词元关注每个词元，共 t² 个单元格，其中大多数几乎没有权"
    "重。稀疏（sparse）Transformer 只计算一种模式（pattern）中的单元格：近处的键，加上少数几个代表其余部分的远处的键。"
    "\n\n步幅（stride）为 √t 时，一个查询最多约有 2√t 个键，所以一层的开销为 t√t 量级。一层没有连通的词元对，后面的层可"
    "以连通。\n\n模式是人选定的，不是学到的，它决定了信息能走哪些路径。光加掩码什么也省不了，因为稠密内核会把不要的单元"
    "格也算出来，再丢掉；这里把模式切成小块的稠密乘积，从不存储 t × t 的表。",
    "learn_sparse_show": "显示",
    "learn_sparse_show_pattern": "模式",
    "learn_sparse_show_time": "时间",
    "learn_sparse_show_memory": "内存",
    "learn_sparse_show_pattern_hint": "计算哪些单元格，以及每一层之后哪些词元对已经连通",
    "learn_sparse_show_time_hint": "文本变长时，一次前向和反向传播的时间",
    "learn_sparse_show_memory_hint": "这样一次计算的内存峰值",
    "learn_sparse_kind": "模式",
    "learn_sparse_kind_local": "局部",
    "learn_sparse_kind_strided": "跨步",
    "learn_sparse_kind_fixed": "固定",
    "learn_sparse_kind_local_hint": "最近的 l 个词元",
    "learn_sparse_kind_strided_hint": "最近的 l 个词元，以及更前面每隔 l 个取一个",
    "learn_sparse_kind_fixed_hint": "查询所在的长为 l 的块，以及前面每个块的最后一个词元",
    "learn_sparse_t": "词元数 t",
    "learn_sparse_size": "步幅 l",
    "learn_sparse_play_hint": "一层接一层；系统设为减少动态效果时，每按一次前进一层",
    "learn_sparse_step": "层数",
    "learn_sparse_step_is": "{layers, plural, other {# 层}}",
    "learn_sparse_map": "每个输出可能依赖哪些输入：每行一个输出，每列一个输入",
    "learn_sparse_outputs": "输出",
    "learn_sparse_inputs": "输入",
    "learn_sparse_cell": "{when, select, now {输出 {row} 看到输入 {column}：模式中有这一格。} later {输出 {row} 经过"
    " {layers, plural, other {# 层}}可以依赖输入 {column}。} long {输出 {row} 要超过 {layers} 层才能依赖输入"
    " {column}。} other {输入 {column} 在输出 {row} 之后，输出永远看不到它。}}",
    "learn_sparse_legend_one": "在模式中",
    "learn_sparse_legend_more": "由后面的层到达（越晚越淡）",
    "learn_sparse_reached": "已连通的词元对",
    "learn_sparse_after": "{layers, plural, other {# 层}}之后",
    "learn_sparse_cells": "{causal} 个单元格中有 {cells} 个，占 {share}：一个查询平均有 {keys} 个键。只计算这些单元格，"
    "与加掩码的稠密注意力最多相差 {error}。",
    "learn_sparse_way_strided": "跨步",
    "learn_sparse_way_fixed": "固定",
    "learn_sparse_way_causal": "稠密，融合内核",
    "learn_sparse_way_masked": "稠密，融合内核，加跨步掩码",
    "learn_sparse_way_equation": "稠密，按公式",
    "learn_sparse_tokens": "词元数",
    "learn_sparse_axis_time": "毫秒",
    "learn_sparse_axis_memory": "MB",
    "learn_sparse_chart_time": "各方法一次前向和反向传播的时间，随文本长度的变化",
    "learn_sparse_chart_memory": "各方法一次前向和反向传播的内存峰值，随文本长度的变化",
    "learn_sparse_long": "16,384 个词元、步幅 128 时，跨步模式有 {strided} 个单元格，固定模式有 {fixed} 个，因果掩码有"
    " {causal} 个。",
    "learn_sparse_measured": "测于 {date}：{heads} 个 {size} 维的头，步幅 √t，数次中最快一次的处理器时间；超过 4,096 "
    "个词元时只运行一次。{cpu}，{threads, plural, other {# 个线程}}，torch {torch}；",
    "learn_sparse_lesson_pattern": "计算了 {causal} 个单元格中的 {cells} 个。经过 {layers, plural, other {# 层}}，"
    "{share} 的词元对已连通{joined, select, never {；{most} 层也不能连通全部} now"
    " {：每个词元都可以依赖前面的每个词元} other {；经过 {all, plural, other {# 层}}，每个词元都可以依赖前面的每个"
    "词元}}。",
    "learn_sparse_lesson_time": "{t, number} 个词元：跨步需要 {strided} 毫秒，稠密需要 {dense} 毫秒，是前者的 {times} "
    "倍。",
    "learn_sparse_lesson_memory": "{t, number} 个词元：跨步需要 {strided} MB，稠密（用融合内核）需要 {dense} MB。两者都"
    "不存储整张得分表。按公式计算要存储它，{at, number} 个词元就已经需要 {equation} MB。",
    "learn_sparse_try_fixed": "固定模式",
    "learn_sparse_try_local": "只看近处的键",
    "learn_sparse_try_time": "开销有多大",
    "learn_sparse_question": "用当前的模式，要经过几层，每个词元才能依赖前面的每个词元？",
    "learn_sparse_choice_one": "一层",
    "learn_sparse_choice_two": "两层",
    "learn_sparse_choice_more": "更多",
    "learn_sparse_answer": "{kind, select, local {局部} strided {跨步} other {固定}}模式，步幅 {size}，{t} 个词元：一层"
    "之后，{share} 的词元对已连通；两层之后，{second}。",
}
