"""Chinese messages of Learn's section "Positions"."""

from __future__ import annotations

MESSAGES = {
    "learn_positions_title": "位置",
    "learn_positions_text": "注意力读到的是一个集合：没有位置编码（positional encoding）的分类器，对一段文本和打乱词序"
    "后的文本给出同样的判断。所以要给每个位置一个向量 p，加到词元的 x 上。\n\n这样，每个得分都是两个和的乘积，也就是四"
    "项之和：词元与词元、词元与位置、位置与词元、位置与位置。有些头只用最后一项。\n\n学到的 p 只存在于训练时见过的位置"
    "。正弦（sine）可以算到任意位置，但超出训练长度后，得到的是模型从未见过的向量，预测随之崩溃。没有 p 的模型几乎在每"
    "个位置上都差一些，却不会崩溃：它没有遇到新的向量。",
    "learn_positions_show": "显示",
    "learn_positions_show_order": "词序",
    "learn_positions_show_score": "得分",
    "learn_positions_show_length": "长度",
    "learn_positions_show_order_hint": "对一段文本和打乱词序后的文本的判断",
    "learn_positions_show_score_hint": "把一个训练好的头的得分拆成四项之和",
    "learn_positions_show_length_hint": "每个位置上的损失：训练长度之内和之外",
    "learn_positions_field": "文本",
    "learn_positions_typed": "原来的词序",
    "learn_positions_other": "另一种词序",
    "learn_positions_swap": "点击两个词，交换它们。",
    "learn_positions_shuffle": "打乱",
    "learn_positions_classifier": "{name}{positions, select, none {：无位置编码} learned {：可学习位置编码} sinusoidal"
    " {：正弦位置编码} other {：{positions} 位置编码}}",
    "learn_positions_positive": "正面 {share}",
    "learn_positions_moved": "{kind, select, equal {除舍入误差外不变。} other {变化 {by} 个百分点。}}",
    "learn_positions_lesson_still": "两种词序相同：请点击两个词，或点“打乱”。",
    "learn_positions_lesson_order": "换一种词序，“{name}”的正面概率从 {before} 变为 {after}；没有位置编码的“{bag}”读到"
    "的是同一个集合，结果不变。",
    "learn_positions_head": "头",
    "learn_positions_query": "（第一层）。点击一个词元作为查询：",
    "learn_positions_token": "“{label}”，位置 {position}",
    "learn_positions_chart_score": "每个键的得分，由四项堆叠而成。点击一个键，查看它的各项。",
    "learn_positions_keys": "键",
    "learn_positions_score": "得分",
    "learn_positions_token_token": "词元 · 词元",
    "learn_positions_token_position": "词元 · 位置",
    "learn_positions_position_token": "位置 · 词元",
    "learn_positions_position_position": "位置 · 位置",
    "learn_positions_query_token": "查询的词元",
    "learn_positions_query_position": "查询的位置",
    "learn_positions_key_token": "键的词元",
    "learn_positions_key_position": "键的位置",
    "learn_positions_pair": "查询“{query}”在位置 {at}，键“{key}”在位置 {position}",
    "learn_positions_together": "四项之和为 {sum}。模型自己的得分为 {score}，对应的权重为 {weight}。对所有键，两者的差"
    "最大为 {error}。层归一化让每一部分和整体都除以同一个数；它的偏置算在词元里。",
    "learn_positions_lesson_score": "第 {head} 头：“{query}”把 {share} 给了“{key}”，也就是{where, select, self {它自己}"
    " one {前一个词元} other {往前第 {back} 个词元}}。得分为 {score}，其中最大的一项是“{term}”：{value}。",
    "learn_positions_chart_length": "预测下一个字节所需的比特数，随已读字节数的变化。竖线标出训练长度 {trained}。",
    "learn_positions_line": "{positions, select, learned {可学习} sinusoidal {正弦} none {无位置编码} other"
    " {{positions}}}（{name}）",
    "learn_positions_read": "已读字节数",
    "learn_positions_bits": "下一个字节的比特数",
    "learn_positions_ends": "“{name}”止于位置 {trained}：再往后的位置，它没有对应的向量。",
    "learn_positions_measured": "测于 {date}：{windows, number} 段文本，每段 {length} 字节，每个点是 {width} 个位置的均"
    "值。各模型都训练了 {steps, number} 步，每次读 {trained} 字节。{cpu}，torch {torch}；",
    "learn_positions_lesson_length": "在训练长度（{trained} 字节）处，正弦位置编码需要 {sinusoidal} 比特每字节，无位置"
    "编码需要 {none}；接近 {length} 字节时，两者分别需要 {sinusoidal_beyond} 和 {none_beyond}。",
    "learn_positions_try_position": "依据位置的头",
    "learn_positions_try_token": "依据词元的头",
    "learn_positions_try_beyond": "超出训练长度",
    "learn_positions_question": "在“{model}”第一层的第 {head} 头中，去掉含有位置的三项。所选的词元还会最关注同一个键"
    "吗？",
    "learn_positions_choice_same": "会，同一个键",
    "learn_positions_choice_other": "不会，换成别的键",
    "learn_positions_answer": "四项都在时，“{query}”最关注位置 {position} 上的“{whole}”；只留“词元 · 词元”时，最关注位"
    "置 {other} 上的“{alone}”。",
}
