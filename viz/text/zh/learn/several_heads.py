"""Chinese messages of Learn's section "Several heads"."""

from __future__ import annotations

MESSAGES = {
    "learn_several_heads_title": "多头注意力",
    "learn_several_heads_text": "有了多个头，一个词就能同时以多种方式关注其他词。\n\n一个注意力头（head）只有一组权重。"
    "“gave”把给予者、礼物和接受者加进同一个和：各占多少可以不同，组合的方式却总是一样。多头注意力（multi-head attention"
    "）中，每个头有自己的查询、键和值，它的输出占 y 中属于自己的一段。\n\n但光有头还分不出谁先谁后。没有位置编码也没有"
    "掩码时，句子只是一个集合：交换 mary 和 susan，无论矩阵如何，“gave”的 y 除舍入误差外都不变。这里的矩阵是手动设定的"
    "，使 y 的每个数都是某一个词的权重；表中还用随机矩阵和训练好的矩阵做了同样的检验。",
    "learn_several_heads_show": "显示",
    "learn_several_heads_show_gave": "谁给的",
    "learn_several_heads_show_gave_hint": "“gave”的各个头关注什么，以及交换两个词会改变什么",
    "learn_several_heads_show_sizes": "三种形式",
    "learn_several_heads_show_sizes_hint": "窄头、宽头、分块头的参数和时间，以及它们的损失",
    "learn_several_heads_heads": "头",
    "learn_several_heads_heads_one": "一个",
    "learn_several_heads_heads_four": "四个",
    "learn_several_heads_heads_one_hint": "一组权重：“gave”关注的一切都加在一起",
    "learn_several_heads_heads_four_hint": "四组权重，每组对应 y 的一段",
    "learn_several_heads_positions": "位置编码",
    "learn_several_heads_positions_off": "无",
    "learn_several_heads_positions_on": "有",
    "learn_several_heads_positions_off_hint": "词的向量只说明它是哪个词",
    "learn_several_heads_positions_on_hint": "词的向量还说明它在哪个位置",
    "learn_several_heads_before": "原句",
    "learn_several_heads_after": "交换 mary 和 susan 之后",
    "learn_several_heads_picture": "{sentence}：“gave”的每个头关注什么",
    "learn_several_heads_parts": "“gave”的 y，{count, plural, other {共 # 段}}",
    "learn_several_heads_all": "全部相加",
    "learn_several_heads_giver": "给予者",
    "learn_several_heads_gift": "礼物",
    "learn_several_heads_receiver": "接受者",
    "learn_several_heads_itself": "动词",
    "learn_several_heads_lesson_same": "交换 mary 和 susan，“gave”的 y 不变：没有位置编码，{count, plural, other {# 个"
    "头}}分不出谁先谁后。",
    "learn_several_heads_lesson_amounts": "一个头，有位置编码：“gave”的 y 是一个和，其中 mary 占 {first}，susan 占"
    " {second}。交换之后，变的只是各占多少。",
    "learn_several_heads_lesson_parts": "四个头，有位置编码：y 中给予者那一段，{first} 来自 mary；交换之后，{second} 来"
    "自 susan。给予者和接受者分在不同的段里。",
    "learn_several_heads_lesson_forms": "k = {k, number}，h = {heads, number}：{divides, select, yes {窄头有 {narrow}"
    " 个参数，宽头有 {wide} 个，分块头有 {chunked} 个。} other {宽头有 {wide} 个参数。另外两种形式要把 k 等分成 h 份，"
    "这里除不尽。}}",
    "learn_several_heads_moves": "交换之后，“gave”的输出变化多少",
    "learn_several_heads_made_hand": "手动设定",
    "learn_several_heads_made_random": "随机",
    "learn_several_heads_made_learned": "训练得到：{model}，第一层",
    "learn_several_heads_matrices": "矩阵",
    "learn_several_heads_without": "无位置编码",
    "learn_several_heads_with": "有位置编码",
    "learn_several_heads_none": "–",
    "learn_several_heads_forms": "三种形式：参数和时间",
    "learn_several_heads_time": "时间",
    "learn_several_heads_milliseconds": "{value} 毫秒",
    "learn_several_heads_too_large": "未运行",
    "learn_several_heads_trained": "训练好的模型的损失",
    "learn_several_heads_change": "模型",
    "learn_several_heads_parameters": "参数",
    "learn_several_heads_bits": "比特每字节",
    "learn_several_heads_trained_same": "四个窄头，合并",
    "learn_several_heads_trained_unify": "没有 unifyheads",
    "learn_several_heads_trained_one": "一个头",
    "learn_several_heads_trained_wide": "四个宽头",
    "learn_several_heads_worth": "数据取自模型卡；各模型都用同样的字节训练了 {steps, number} 步，数值越低越好。去掉"
    " unifyheads，参数少 {maps, number} 个，损失高 {unify} 比特；把 {heads} 个头换成一个头，损失高 {one} 比特。每种只训"
    "练了一次，相差零点零几比特，可能只是偶然。",
    "learn_several_heads_emb": "k，词向量的维数",
    "learn_several_heads_count": "h，头的个数",
    "learn_several_heads_form": "形式",
    "learn_several_heads_size": "单个头",
    "learn_several_heads_formula": "公式",
    "learn_several_heads_counted": "实际计数",
    "learn_several_heads_narrow": "窄头",
    "learn_several_heads_wide": "宽头",
    "learn_several_heads_chunked": "分块头",
    "learn_several_heads_narrow_hint": "每个头把整个向量映射为 k / h 个数",
    "learn_several_heads_wide_hint": "每个头把整个向量映射为 k 个数",
    "learn_several_heads_chunked_hint": "把向量切成 h 块，每个头只映射自己的一块",
    "learn_several_heads_formula_narrow": "3k² + k² + k = {value, number}",
    "learn_several_heads_formula_wide": "3hk² + hk² + k = {value, number}",
    "learn_several_heads_formula_chunked": "3k²/h + k² + k = {value, number}",
    "learn_several_heads_divide": "k 必须是 h 的倍数",
    "learn_several_heads_unify": "公式的第一项是查询、键和值的参数；其余是 unifyheads，它把各个头合并起来。窄头的参数总"
    "数与单个头相同，宽头则是它的 h 倍。时间：刚才在服务器上对 {words} 个词运行数次，取最快的一次。",
    "learn_several_heads_try_one": "一个头，有位置编码",
    "learn_several_heads_try_off": "四个头，无位置编码",
    "learn_several_heads_try_paper": "k = 512，8 个头",
    "learn_several_heads_question": "八个头，没有位置编码，没有掩码，想训练多久就训练多久。“gave”的输出能看出谁是给予者"
    "吗？",
    "learn_several_heads_answer_never": "不能，永远不能",
    "learn_several_heads_answer_heads": "能：一个头管给予者，一个头管接受者",
    "learn_several_heads_answer_training": "只有训练数据里体现出来时才能",
    "learn_several_heads_answer": "没有位置编码时，无论矩阵是手动设定、随机还是训练得到，“gave”的 y 的变化最大只有"
    " {without}，这是舍入误差。有位置编码时，变化最大达 {with}。",
}
