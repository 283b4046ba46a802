"""Chinese messages of Learn's section "Why 'self', why 'key' and 'value'"."""

from __future__ import annotations

MESSAGES = {
    "learn_key_value_title": "为什么叫“自”，为什么叫“键”和“值”",
    "learn_key_value_text": "注意力是一部总能查到结果的字典：结果是各个值的加权平均。\n\nPython 字典在每个键（key）下存"
    "一个值（value）。查询（query）必须与某个键完全相等，否则报错。注意力是一种软字典：每个键都得到一个权重，它与查询的"
    "点积越大，权重越大，再用这些权重对值求平均。把滑块拖到“硬”的一端，一个键会得到全部权重。即使这样，注意力也不会查不"
    "到：总有一个键的点积最大。\n\n这个想法比 Transformer 更早。在循环网络的翻译模型里，（用今天的话说）查询来自正在写"
    "的句子，键和值来自正在读的句子。在自注意力（self-attention）中，三者来自同一个序列：每个词都有查询、键和值。",
    "learn_key_value_names": "春 夏 秋 冬",
    "learn_key_value_query": "查询",
    "learn_key_value_hard": "硬",
    "learn_key_value_softer": "软",
    "learn_key_value_soft": "从硬极限到软",
    "learn_key_value_degree": "{kind, select, hard {T = 0，硬极限} plain {T = 1，注意力} other {T = {temperature}}}",
    "learn_key_value_itself": "让每个键都充当查询（自注意力）",
    "learn_key_value_dictionary": "Python 字典",
    "learn_key_value_attention": "注意力：软字典",
    "learn_key_value_plane": "平面上的键和查询，各为一支箭头。可以拖动箭头的尖端，也可以用方向键移动。",
    "learn_key_value_tip": "{name}：横 {x}，纵 {y}。可用方向键移动。",
    "learn_key_value_column_key": "键",
    "learn_key_value_column_score": "得分",
    "learn_key_value_column_weight": "权重",
    "learn_key_value_column_value": "值",
    "learn_key_value_column_part": "w · v",
    "learn_key_value_value_of": "“{name}”的值",
    "learn_key_value_value_limit": "值必须是 −{most} 到 {most} 之间的数。",
    "learn_key_value_ask": "把查询设为“{name}”的键",
    "learn_key_value_asks": "以“{name}”为查询",
    "learn_key_value_sum": "y = {terms} = {y}",
    "learn_key_value_scale": "各个值在 {least} 与 {most} 之间；注意力返回 {y}。",
    "learn_key_value_lesson": "{asker, select, keys {查询就是“{name}”的键。字典返回 {found}；注意力返回 {y}} other"
    " {{hit, select, yes {字典里有这个键，返回 {found}；注意力返回 {y}} other {字典里没有这个键。注意力返回 {y}}}}}，其"
    "中 {share} 的权重在“{best}”上。",
    "learn_key_value_try_there": "查询正好是“{name}”",
    "learn_key_value_try_hard": "字典中没有的键，取硬极限",
    "learn_key_value_try_itself": "以键为查询",
    "learn_key_value_puzzle": "只移动键，使答案与“{name}”的值 {value} 相差不到 0.1。",
    "learn_key_value_question": "查询 (0, 0) 与哪个键都不匹配。注意力会返回什么？",
    "learn_key_value_choice_error": "什么也不返回：像字典一样报错",
    "learn_key_value_choice_zero": "0",
    "learn_key_value_choice_average": "所有值的平均",
    "learn_key_value_answer": "所有点积都是 0，softmax 便使权重全部相等：每个值的权重都是 {share}，答案是 {y}。",
    "learn_key_value_sample": "Spring came late, and summer was as short as winter had been long.",
}
