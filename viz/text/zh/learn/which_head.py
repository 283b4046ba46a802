"""Chinese messages of Learn's section "Which head does it?"."""

from __future__ import annotations

MESSAGES = {
    "learn_which_head_title": "是哪个头起的作用？",
    "learn_which_head_text": "文本 A 和 B 只差一处，模型的预测却不同。是哪个头造成的？\n\n有两种问法。在 A 中关闭一个"
    "头：缺了它会失去什么？或者把它的输出从 A 移植到 B（activation patching），其他一切不变：什么会恢复？\n\n两种答案"
    "不一定一致。关闭一个头之后，别的头可能会替补（备用头），于是损失很小。反过来，如果两段文本以同样的方式依赖某个头，"
    "关闭它会失去很多，它却不携带任何差异。移植一个头，问的是它知道什么；关闭一个头，问的是什么依赖于它。",
    "learn_which_head_pinned": "A",
    "learn_which_head_other": "B",
    "learn_which_head_lengths": "A 有 {first, plural, other {# 个词元}}，B 有 {second} 个。两段文本的词元数必须相同。",
    "learn_which_head_long": "这两段文本有 {given} 个词元，本节最多读 {most} 个。",
    "learn_which_head_lost": "在 A 中关闭：失去（%）",
    "learn_which_head_returned": "从 A 移植到 B：恢复（%）",
    "learn_which_head_axes": "层\u00a0↓ 头\u00a0→",
    "learn_which_head_cell": "第 {layer} 层第 {head} 头：失去 {lost}，恢复 {returned}",
    "learn_which_head_metric": "测量的是“{answer}”与“{rival}”的 logit 之差：A 中为 {first}，B 中为 {second}。",
    "learn_which_head_lesson": "第 {layer} 层第 {head} 头移植到 B 后恢复了差异的 {returned}；在 A 中关闭它，失去 {lost"
    "}。",
    "learn_which_head_pair": "{pair, select, number {单数还是复数} year {世纪} name {重复的名字} other {引号}}",
    "learn_which_head_question": "每次从 A 向 B 移植一个头。“{model}”的哪个头恢复得最多？",
    "learn_which_head_answer": "第 {layer} 层第 {head} 头恢复了 {returned}，其次的头恢复 {second}。",
}
