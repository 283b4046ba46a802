"""Chinese messages of tab Explore about activation patching, and about heads that read each other's outputs."""

from __future__ import annotations

MESSAGES = {
    "carry": "激活移植",
    "carry_means": "什么是激活移植",
    "carry_label": "差异恢复的比例，以百分数表示；每行是一层",
    "carry_hint": "从固定的结果中取出一部分，放进当前的结果里（activation patching），测量两次预测之间的差异恢复了多少"
    "：0% 表示预测仍与当前文本的相同，100% 表示变得与固定文本的相同。关闭一个头，看到的是缺了它会失去什么；移植一个头，"
    "看到的是它携带什么信息。",
    "carry_from_here": "是哪一部分把差异带进了预测？",
    "carry_part": "移植什么",
    "carry_parts": "{part, select, heads {一个头的输出} attention {一个头的注意力分布} stream {一个词元处的残差流}"
    " other {一个词元处的前馈层输出}}",
    "carry_answer": "答案",
    "carry_rival": "而不是",
    "carry_at": "{says, select, class {类别：} blank {被遮住的{token}：} other {{token}之后：}}{answer}与{rival}的 "
    "logit 之差，当前文本中为 {before}，固定文本中为 {pinned}。",
    "carry_most": "{name}恢复得最多：差异的 {share}。",
    "carry_corner": "{part, select, heads {层\u00a0↓ 头\u00a0→}"
    " attention {层\u00a0↓ 头\u00a0→} other {层\u00a0↓ 词元\u00a0→}}",
    "carry_token": "第 {layer} 层的{token}",
    "carry_found": "{pair, select, number {主语是单数还是复数，这一信息一直只留在主语的位置上，到第 4 层才由第 5 头复制"
    "到最后一个词元。} year {第 5 层第 3 头复制世纪：移植它就恢复了一半以上的差异。} name {有两个头先后配合：第 3 层第"
    " 7 头关注每个词的前一个词，第 4 层第 0 头关注同一个词上次出现时后面的内容。单凭其中任何一个，就恢复了一半以上的差"
    "异。} blank {第 0 层第 2 头把国家的信息带到被遮住的词处，第 0 头把它带到前一个词处：单凭其中任何一个，就恢复了四分"
    "之一到一半的差异。} byte {括号种类的信息一直留在括号处，到第 10 层，第 5 头才把其中大约一半复制到最后一个词元。}"
    " letters {字母的信息一直留在它自己的位置，到第 1 层才由各个头一起复制到末尾：任何一个头恢复的差异都不会比一半多很"
    "多。} character {编码器中只有第 0 层第 2 头携带日期中的“日”：它恢复了全部差异。在交叉注意力中，这项工作由各个头分"
    "担：没有一个头能恢复三分之一以上的差异。} word {被改动的词自己的向量在各层都保留约三分之二的差异，其余的差异大多由"
    "第 0 层复制到它的前一个词。} other {引号尚未闭合这一信息由许多头共同携带：没有一个头能恢复三分之一以上的差异。}}",
    "carry_cell": "{name}恢复了差异的 {share}。",
    "carry_choose": "选一格，查看移植这一部分之后的预测。",
    "carry_without": "当前",
    "carry_pinned": "固定",
    "carry_carried": "移植后",
    "carry_pairs": "只差一处的两段文本，例如：",
    "carry_pair": "“{pinned}” → “{text}”",
    "carry_needs": "先固定一段文本，再改动其中一个词：这里会显示是哪个头、哪个词元的向量携带了差异。",
    "carry_same": "两次的预测相同，没有可移植的差异。",
    "carry_alike": "请选择两个不同的预测：这里测量的是两者之差。",
    "carry_models": "{pinned} 的内容不能移植到 {model}：两个结果必须来自同一个模型。",
    "carry_blanks": "两段文本遮住的词不同。请在两段文本中遮住同一位置的词。",
    "carry_lengths": "固定文本有 {pinned, plural, other {# 个词元}}，当前文本有 {tokens} 个。请换成词元数相同的词。",
    "carry_running": "正在计算：每一格都要运行一次模型……",
    "carry_work": "这段文本有 {tokens} 个词元。使用这个模型时，本页只能在不超过 {limit} 个词元的文本中移植{part, select"
    ", heads {每个头的输出} attention {每个头的注意力分布} stream {每个词元处的残差流} other {每个词元处的前馈层输出}}"
    "，因为每一处都要单独运行一次模型。请缩短两段文本{part, select, stream {，或者改为移植头的输出} mlp {，或者改为移植"
    "头的输出} other {}}。",
    "reads": "哪个头读取哪个头的输出",
    "reads_means": "一条弧表示什么",
    "reads_hint": "每条弧连接两个头：上面的头读取下面的头写入的内容，这称为头的组合（composition）。得分只由权重算出，"
    "与文本无关：下面的头的输出有多少进入上面的头的查询、键或值。得分并不说明某段文本是否用到这条弧。要知道这一点，先固定另"
    "一段文本，再点击这条弧：这时只有沿着这条弧传递的内容取自固定文本。",
    "reads_kind": "读入",
    "reads_kinds": "{kind, select, q {查询} k {键} other {值}}",
    "reads_count": "弧数",
    "reads_label": "头之间的弧，从强到弱",
    "reads_arc": "第 {layer} 层第 {head} 头读取第 {from_layer} 层第 {from_head} 头，读入"
    "{kind, select, q {查询} k {键} other {值}}：{score}",
    "reads_shown": "共 {pairs, number} 条弧，显示最强的 {count, plural, other {# 条}}，得分从 {most} 到 {least}；"
    "两个随机矩阵的得分约为 {chance}。",
    "reads_point": "指向一条弧，查看它连接的头和得分。",
    "reads_needs": "要测量一条弧，先固定一段文本，再改动其中一个词：然后点击这条弧，"
    "就只有沿着它传递的内容取自固定文本。",
    "reads_choose": "点击一条弧，或用方向键和回车键选择，就只有沿着它传递的内容取自固定文本。",
    "reads_column": "“{answer}”而不是“{rival}”",
    "reads_step": "{step, select, run {当前文本} path {只移植这条弧} whole {移植下面的头的全部输出} other {固定文本}}",
    "reads_share": "只移植这条弧，恢复差异的 {share}；移植下面的头的全部输出，恢复 {whole}。",
    "reads_not": "不适用于这个模型：要计算得分，模型必须至少有两层，并且没有单独的编码器。",
    "reads_layer": "第 {layer} 层",
    "states_now": "当前文本",
    "states_pinned": "固定文本",
    "states_carried": "移植这个状态时，每层之后的预测",
    "states_lift": "把一格拖到另一个网格上，或者先选这里的一格，再选那里的一格，就能把这个状态移植过去。",
    "states_drop": "{state}：现在选择把它放在哪里。",
    "states_heading": "从固定文本移植的状态：{from}。被替换的状态：{to}。",
    "states_back": "撤销移植",
}
