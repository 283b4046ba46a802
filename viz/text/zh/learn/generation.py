"""Chinese messages of Learn's section "Generation"."""

from __future__ import annotations

MESSAGES = {
    "learn_generation_title": "生成",
    "learn_generation_text": "生成模型的训练目标是预测下一个字节。\n\n目标（target）就是输入本身错开一位：每个位置可以"
    "使用到它为止的内容，并按它之后的那个字节来打分。一次前向传播就给所有位置打分，不需要人工标注。\n\n这就需要掩码（"
    "mask）。没有掩码，一个位置会看到自己的答案，就在右边一个字节处，于是学会照抄：训练时近乎完美，续写时却毫无用处，因"
    "为那时右边还什么都没有。只有最后一个目标不在输入之中，它在那里就会失败。拖动“训练步”，看损失怎样下降，写出的文字怎"
    "样变化。",
    "learn_generation_field": "文本，最多 {most} 个字节",
    "learn_generation_seed": "随机种子",
    "learn_generation_short": "请至少输入三个字符：最后一个只用来预测，不会被读入。",
    "learn_generation_table": "每个位置的输入、目标，以及目标得到的概率（%）",
    "learn_generation_input": "输入",
    "learn_generation_target": "目标",
    "learn_generation_trained": "有掩码",
    "learn_generation_unmasked": "无掩码",
    "learn_generation_bits": "比特",
    "learn_generation_bits_hint": "比特每字节：这些概率的 −log₂ 的平均值",
    "learn_generation_cell": "“{input}”之后是“{target}”：概率 {share}",
    "learn_generation_peek": "无掩码：“{model}”第 {layer} 层第 {head} 头把 {share} 的权重放在紧接着的下一个字节上，也就"
    "是答案。",
    "learn_generation_step": "训练步",
    "learn_generation_step_is": "第 {step, number} 步：已读 {bytes, number} 字节",
    "learn_generation_play_hint": "依次播放训练快照；系统设为减少动态效果时，每按一次前进一个",
    "learn_generation_chart": "训练过程中的每字节比特数：验证集和这段文本。点击可选择训练步。",
    "learn_generation_line_validation": "验证集",
    "learn_generation_line_text": "这段文本",
    "learn_generation_course": "{falls, select, yes {在这段文本上损失也在下降：从 {first} 比特降到 {end} 比特。} "
    "other {在这段文本上，损失在第 {step, number} 步最低（{least} 比特），最后是 {end} 比特。训练降低的是与训练数据（"
    "百科全书）类似的文本的平均损失；单独一个不同类型的句子可能又变差。}}",
    "learn_generation_axis_step": "训练步",
    "learn_generation_axis_bits": "比特每字节",
    "learn_generation_measured": "验证集：{bytes, number} 字节，训练时从未见过，测于 {date}。{cpu}，torch {torch}；",
    "learn_generation_writes": "“{model}”在第 {step, number} 步的续写：",
    "learn_generation_writes_unmasked": "无掩码的“{model}”的续写：",
    "learn_generation_lesson": "在第 {step, number} 步，预测下一个字节平均需要 {bits} 比特。没有掩码时只需要 {unmasked}"
    " 比特，因为答案就在输入里。",
    "learn_generation_show": "显示",
    "learn_generation_show_training": "训练",
    "learn_generation_show_training_hint": "训练时每个位置要预测什么",
    "learn_generation_show_cache": "缓存",
    "learn_generation_show_cache_hint": "模型续写时保留的键和值，以及由此节省的计算",
    "learn_generation_cache": "模型",
    "learn_generation_cache_hint": "显示“{name}”的缓存",
    "learn_generation_tokens": "已有文本",
    "learn_generation_tokens_are": "{tokens, plural, other {# 个词元}}",
    "learn_generation_lesson_cache": "前面词元的键和值不会改变，因为没有词元看得到后面的词元。所以“{name}”把它们保留下"
    "来，每一步只计算最新的词元，而不是{tokens, plural, other {全部 # 个}}。",
    "learn_generation_try_begin": "训练之前",
    "learn_generation_try_words": "第 {step, number} 步",
    "learn_generation_try_other": "越学越差的句子",
    "learn_generation_question": "没有掩码时，除了一个目标，其余都能从输入中读到。是哪一个？",
    "learn_generation_choice_first": "第一个",
    "learn_generation_choice_middle": "中间某一个",
    "learn_generation_choice_last": "最后一个",
    "learn_generation_answer": "概率最低的目标是 {count} 个中的第 {position} 个，“{target}”，概率为 {share}；其余目标"
    "的平均概率为 {others}。",
}
