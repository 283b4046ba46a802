"""Chinese messages of Learn's section "Transformer-XL"."""

from __future__ import annotations

MESSAGES = {
    "learn_transformer_xl_title": "Transformer-XL",
    "learn_transformer_xl_text": "上下文固定的模型会忘掉上下文之前的内容。Transformer-XL 一个片段（segment）接一个片段"
    "地读，每一层都保留自己的输入，作为记忆（memory）：下一个片段的查询也会关注它。\n\n梯度不流入记忆。每往上一层，就能"
    "再往前多看一份记忆，所以片段之外很远的字节仍会影响输出。\n\n从片段开头算起的位置，在记忆里没有意义，所以得分改用距"
    "离。它有四项，与“位置”一节相同：用距离代替键的位置；用学到的向量 u 或 v 代替查询的位置，对所有查询都一样。",
    "learn_transformer_xl_show": "显示",
    "learn_transformer_xl_show_memory": "记忆",
    "learn_transformer_xl_show_reach": "范围",
    "learn_transformer_xl_show_terms": "四项",
    "learn_transformer_xl_show_memory_hint": "有记忆和无记忆时每个字节的意外度",
    "learn_transformer_xl_show_reach_hint": "每一层还受多远之前的字节影响",
    "learn_transformer_xl_show_terms_hint": "把一个头的得分拆成四项之和",
    "learn_transformer_xl_field": "文本",
    "learn_transformer_xl_short": "请至少输入 {least} 个字符：再少就没有什么可记的了。",
    "learn_transformer_xl_memory": "记忆",
    "learn_transformer_xl_memory_on": "开",
    "learn_transformer_xl_memory_off": "关",
    "learn_transformer_xl_memory_on_hint": "每一层都能看到从前面片段保留下来的内容",
    "learn_transformer_xl_memory_off_hint": "读每个片段时，都当作前面什么也没有",
    "learn_transformer_xl_layer": "层",
    "learn_transformer_xl_head": "头",
    "learn_transformer_xl_byte": "“{label}”：{bits} 比特；有记忆 {on}，无记忆 {off}",
    "learn_transformer_xl_ground": "字节的底色表示它的意外度（surprise，单位为比特）：颜色越深，意外度越高。竖线标出每"
    "个片段的开头，一个片段有 {segment} 字节；训练时一个片段有 {trained} 字节。",
    "learn_transformer_xl_chart_memory": "这段文本的每字节比特数，随每层记住的字节数的变化",
    "learn_transformer_xl_axis_memory": "这段文本的每字节比特数",
    "learn_transformer_xl_remembered": "记忆 {memory, plural, other {# 个字节}}",
    "learn_transformer_xl_measured": "记忆 {memory} 字节时 {bits}",
    "learn_transformer_xl_on_val": "在未用于训练的 {bytes, number} 字节上，每字节比特数为：{list}。",
    "learn_transformer_xl_map": "每个字节使每一层的最后一个向量变化多少：每行一层，每列一个字节",
    "learn_transformer_xl_layers": "层",
    "learn_transformer_xl_bytes": "文本的字节（片段和记忆各 {short} 个字节）",
    "learn_transformer_xl_cell": "{moves, select, yes {“{label}”在 {back, plural, other {# 个字节}}之前，使第 {layer}"
    " 层变化 {moved}。} other {“{label}”在 {back, plural, other {# 个字节}}之前，到达不了第 {layer} 层。}}",
    "learn_transformer_xl_reaches": "第 {layer} 层之后",
    "learn_transformer_xl_far": "{back, plural, other {# 个字节}}之前",
    "learn_transformer_xl_farthest": "能改变最后一个向量的字节，最远在多少字节之前",
    "learn_transformer_xl_rounding": "依次改变每个字节，用 64 位数测得；没有颜色的格子恰好为 0。颜色表示各值与本层最大"
    "值之比的平方根。",
    "learn_transformer_xl_chart_terms": "最后一个字节对每个键的得分，由四项堆叠而成",
    "learn_transformer_xl_keys": "键",
    "learn_transformer_xl_score": "得分",
    "learn_transformer_xl_token_token": "q · k：查询与键的内容",
    "learn_transformer_xl_token_position": "q · W r：查询的内容与距离",
    "learn_transformer_xl_position_token": "u · k：只有键的内容",
    "learn_transformer_xl_position_position": "v · W r：只有距离",
    "learn_transformer_xl_together": "四项之和与模型自己的得分最多相差 {error}。在“位置”一节中，每个查询位置有自己的向"
    "量；这里所有位置共用一个学到的向量。",
    "learn_transformer_xl_lesson_memory": "没有记忆时，这段文本需要 {off} 比特每字节；有 {memory} 字节的记忆时，需要"
    " {on}。",
    "learn_transformer_xl_lesson_reach": "{on, select, on {有记忆时，最后一层仍依赖 {far, plural, other {# 个字节}}之前"
    "的字节，第一层则依赖 {near} 个字节之前的。} other {没有记忆时，片段之前的一切都没有影响：最远只到 {far, plural,"
    " other {# 个字节}}之前。}}",
    "learn_transformer_xl_lesson_terms": "第 {layer} 层第 {head} 头：各键之间变化最大的一项是“{term}”，标准差为"
    " {spread}。",
    "learn_transformer_xl_try_off": "没有记忆",
    "learn_transformer_xl_try_reach": "能看多远？",
    "learn_transformer_xl_try_terms": "四项",
    "learn_transformer_xl_question": "每一层保留 {short} 个字节。共 {layers} 层，能改变最后一层的字节，最远在多少字节之"
    "前？",
    "learn_transformer_xl_choice_one": "片段之前 {short} 个字节：一份记忆",
    "learn_transformer_xl_choice_layers": "更远：每层一份记忆",
    "learn_transformer_xl_choice_none": "不超出片段",
    "learn_transformer_xl_answer": "能改变最后一层的最远字节在 {far} 个字节之前，而一个片段只有 {short} 个；对第一层来"
    "说，是 {near} 个字节之前。",
}
