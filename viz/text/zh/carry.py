"""“探索”页：把固定结果中的某一部分搬到当前结果里时的说明。"""

from __future__ import annotations

MESSAGES = {
    "carry": "激活移植",
    "carry_means": "什么是激活移植",
    "carry_label": "恢复的差别，以百分数表示；每行是一层",
    "carry_hint": "从固定的结果中取出一部分，放进当前的结果里（activation patching），测量两次预测之间的差别"
    "恢复了多少：0% 表示与当前文本相同，100% 表示与固定文本相同。"
    "关掉一个头，看到的是缺了它会失去什么；移植一个头，看到的是它携带了什么。",
    "carry_from_here": "是哪一部分把差别带进了预测？",
    "carry_part": "移植什么",
    "carry_parts": "{part, select, heads {一个头的输出} attention {一个头的注意力分布} stream {一个词元处的残差流}"
    " other {一个词元处的前馈层输出}}",
    "carry_answer": "答案",
    "carry_rival": "而不是",
    "carry_at": "{says, select, class {类别：} blank {被遮住的 {token}：} other {{token} 之后：}}{answer} 与 {rival}"
    " 的 logit 之差，当前文本中为 {before}，固定文本中为 {pinned}。",
    "carry_most": "{name} 恢复得最多：差别的 {share}。",
    "carry_corner": "{part, select, heads {层 ↓ 头 →} attention {层 ↓ 头 →} other {层 ↓ 词元 →}}",
    "carry_head": "第 {layer} 层第 {head} 头",
    "carry_token": "第 {layer} 层的 {token}",
    "carry_found": "{pair, select, number {主语是单数还是复数，这一信息一直留在主语的位置上，"
    "直到第 4 层第 5 头把它带到末尾。}"
    " year {第 5 层第 3 头复制世纪：移植它就恢复了大约一半的差别。} name {没有一个头能单独复制名字：第 4 层第 0 头"
    "看同一个词上次出现时后面跟着什么，而第 3 层第 7 头看前一个词元，告诉它在哪里。} other"
    " {引号是否还没有闭合由许多头共同携带：没有一个头能恢复三分之一以上。}}",
    "carry_cell": "{name} 恢复了差别的 {share}。",
    "carry_choose": "选一格，查看移植这一部分之后的预测。",
    "carry_without": "当前",
    "carry_pinned": "固定",
    "carry_carried": "移植后",
    "carry_pairs": "只差一个词的两段文本，例如：",
    "carry_pair": "“{pinned}” → “{text}”",
    "carry_needs": "先固定一段文本，再改动其中一个词：这里会显示是哪个头、哪个词元的向量携带了差别。",
    "carry_same": "两次的预测相同，没有可移植的差别。",
    "carry_alike": "请选择两个不同的预测。",
    "carry_models": "{pinned} 的内容不能移植到 {model}：两次必须用同一个模型。",
    "carry_lengths": "固定文本有 {pinned, plural, other {# 个词元}}，当前文本有 {tokens} 个。请换成词元数相同的词。",
    "carry_work": "这需要运行 {runs, number} 次、每次 {tokens} 个词元，超出了本页的限度。请缩短文本。",
}
