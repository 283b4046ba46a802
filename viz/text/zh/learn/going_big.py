"""Chinese messages of Learn's section "Going big"."""

from __future__ import annotations

MESSAGES = {
    "learn_going_big_title": "扩大规模",
    "learn_going_big_text": "每个词都关注每个词，所以一个头要算 t × t 个点积：长度加倍，内存就要四倍。\n\n连同它们的 s"
    "oftmax 和两者的梯度，文章按每个头、每段文本、每一层四张这样的表来计算。PyTorch 不会同时保存它们：到反向传播为止，"
    "只保留一张，即权重。\n\n有四种办法：用 16 位数（半精度）；把一个批次分成几份，让梯度累积（gradient accumulation，"
    "只要不调用 zero_grad）；块的中间结果不保存，需要时重新计算（checkpointing）；用融合内核（fused kernel），它分成小"
    "块计算，从不存储整张表。",
    "learn_going_big_t": "词数 t",
    "learn_going_big_batch": "文本数",
    "learn_going_big_heads": "头数",
    "learn_going_big_layers": "层数",
    "learn_going_big_bits": "每个数的位数",
    "learn_going_big_bits_32": "32",
    "learn_going_big_bits_16": "16",
    "learn_going_big_bits_32_hint": "单精度：4 字节",
    "learn_going_big_bits_16_hint": "半精度：2 字节",
    "learn_going_big_steps": "点积所占内存，逐步计算",
    "learn_going_big_step_table": "一张表：{t, number} × {t, number} 个数，每个 {bytes} 字节",
    "learn_going_big_step_batch": "{batch, plural, other {# 段文本}}，{heads, plural, other {# 个头}}",
    "learn_going_big_step_layer": "得分、权重和两者的梯度：乘以 {held}",
    "learn_going_big_step_layers": "{layers, plural, other {# 层}}",
    "learn_going_big_step_fits": "12 GB 能容纳多少个这样的层",
    "learn_going_big_article": "文章的例子是 16 段文本、1,000 个词、一个头、32 位。文中说所有文本的一张表“约 250 MB”，"
    "实际是 64 MB；接着又算了四张，于是得出 12 GB 能容纳十二层。按文章自己的数，其实能容纳 {fits} 层；有八个头时，能容"
    "纳 {eight} 层。",
    "learn_going_big_kept": "为反向传播保留的内存，刚刚测得（{heads, plural, other {# 个头}}，每个头 64 维，{t, number"
    "} 个词）",
    "learn_going_big_equation": "按公式",
    "learn_going_big_kernel": "用融合内核",
    "learn_going_big_chart": "一步训练的内存峰值",
    "learn_going_big_axis": "MB",
    "learn_going_big_bar": "{precision, select, fp32 {32 位} other {16 位}}{accumulate, select, 1 {} other {，分"
    " {accumulate} 份}}{checkpointing, select, yes {，重新计算} other {}}",
    "learn_going_big_measured": "测于 {date}：“{name}”，{batch} 段 {t} 字节的文本，{depth} 层，{heads} 个头，按公式计算"
    "。根据内存的公式，各层的注意力权重共占 {formula}。{cpu}，torch {torch}；",
    "learn_going_big_lesson": "{t, number} 个词：每层的点积占 {layer}。长度增至十倍：{longer}。",
    "learn_going_big_bytes": "{value} {unit, select, 0 {B} 1 {kB} 2 {MB} 3 {GB} 4 {TB} 5 {PB} other {EB}}",
    "learn_going_big_try_long": "长度加倍",
    "learn_going_big_try_half": "半精度",
    "learn_going_big_try_deep": "8 个头，12 层",
    "learn_going_big_question": "文本长度变为十倍。它的点积要占多少内存？",
    "learn_going_big_choice_ten": "十倍",
    "learn_going_big_choice_hundred": "一百倍",
    "learn_going_big_choice_thousand": "一千倍",
    "learn_going_big_answer": "一层的得分从 {small} 增加到 {large}，是原来的 {factor} 倍：表的两条边都变为十倍。",
}
