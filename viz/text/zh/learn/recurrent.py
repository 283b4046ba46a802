"""Chinese messages of Learn's section "Why not recurrent or convolutional"."""

from __future__ import annotations

MESSAGES = {
    "learn_recurrent_title": "为什么不用循环网络或卷积",
    "learn_recurrent_text": "循环网络（recurrent network）把所知道的一切放在一个向量里，逐词传下去：第一个词要经过中间"
    "的每一步才能到达末尾，而且每一步都要等前一步。\n\n卷积（convolution）同时计算所有位置，但每个位置只看到它前面的几"
    "个；层数多了才看得远。自注意力（self-attention）在一层之内就能到达前面的每个位置，谁也不用等谁。\n\n这只是关于步"
    "数的论证，代价是：点积的个数随 t² 增长。它也没有说明哪一种更好：在参数、字节数和时间都相同时，这里的卷积网络胜出"
    "，因为训练时间这么短，利用邻近的上下文更有优势。长文本和长时间的训练这里没有测量。",
    "learn_recurrent_field": "文本，最多 {most} 个字节",
    "learn_recurrent_short": "请至少输入两个字符。",
    "learn_recurrent_show": "显示",
    "learn_recurrent_show_reach": "步数",
    "learn_recurrent_show_reach_hint": "逐步显示哪个输入到达了哪个输出",
    "learn_recurrent_show_time": "时间",
    "learn_recurrent_show_time_hint": "更长的文本需要多少时间",
    "learn_recurrent_show_bits": "比特",
    "learn_recurrent_show_bits_hint": "三个以相同方式训练的模型的损失",
    "learn_recurrent_recurrent": "循环网络",
    "learn_recurrent_convolutional": "卷积",
    "learn_recurrent_attention": "自注意力",
    "learn_recurrent_step": "已完成的步数",
    "learn_recurrent_step_is": "第 {step} 步，共 {last} 步",
    "learn_recurrent_play_hint": "一步接一步；系统设为减少动态效果时，每按一次前进一步",
    "learn_recurrent_map": "哪些输入到达了哪些输出，{kind}：每行一个输出，每列一个输入",
    "learn_recurrent_wires": "每张图上方：哪个值由哪些值算出，最下面是输入，最上面是输出。实心：经过这些步后已算出；"
    "红色：第一个输入已到达这里。",
    "learn_recurrent_wiring": "{kind}：{step, plural, other {# 步}}之后，哪个值由哪些值算出",
    "learn_recurrent_outputs": "输出",
    "learn_recurrent_inputs": "输入",
    "learn_recurrent_output": "“{label}”处的输出从第 {step} 步起就绪",
    "learn_recurrent_stand": "已就绪的输出：{stand} / {count}；全部就绪需要 {all, plural, other {# 步}}。{reaches,"
    " select, yes {第一个输入到达最后一个输出需要 {first, plural, other {# 步}}。} other {第一个输入永远到达不了最后一"
    "个输出。}}",
    "learn_recurrent_cell": "{kind}：“{input}”{reaches, select, yes {经过 {step, plural, other {# 步}}到达“{output}”处"
    "的输出；改变它，那里的 logit 变化 {moved}。} other {永远到达不了“{output}”处的输出。}}",
    "learn_recurrent_chart_time": "各种模型读一段文本所需的时间，随文本长度的变化",
    "learn_recurrent_chart_bits": "每字节比特数与训练秒数，每种模型一个点",
    "learn_recurrent_axis_length": "文本的字节数",
    "learn_recurrent_axis_time": "毫秒",
    "learn_recurrent_axis_seconds": "训练所用的处理器时间（秒）",
    "learn_recurrent_axis_bits": "比特每字节",
    "learn_recurrent_at_length": "{t, number} 字节",
    "learn_recurrent_longer": "长度为 {times} 倍时",
    "learn_recurrent_milliseconds": "{value} 毫秒",
    "learn_recurrent_ratio": "× {value}",
    "learn_recurrent_time_note": "在单个处理器核上没有并行，所以这里测的是计算量，不是等待时间。循环网络和卷积的计算量"
    "随 t 增长，注意力最终随 t² 增长。在并行硬件上还要算上等待：见“步数”视图。",
    "learn_recurrent_measured": "测于 {date}，取数轮中最快的一轮：{cpu}，{threads, plural, other {# 个线程}}，torch"
    " {torch}；",
    "learn_recurrent_column_parameters": "参数",
    "learn_recurrent_column_bytes": "已读字节数",
    "learn_recurrent_column_seconds": "处理器时间",
    "learn_recurrent_column_bits": "比特每字节",
    "learn_recurrent_seconds": "{value} 秒",
    "learn_recurrent_winner": "参数和字节数相同时最好的是{kind}，{bits} 比特。{quickest, select, yes {它用时也最短，"
    "{seconds} 秒，所以时间相同时也没有更好的。} other {其他模型用时更短。}}",
    "learn_recurrent_bits_note": "数据取自模型卡：用同样的字节训练 500 步，每种一个随机种子，在验证集上测量；秒数只是大"
    "致的。学习率是为 Transformer 选的，其他模型本可能更好一些。",
    "learn_recurrent_lesson": "{count} 个字节：循环网络需要依次进行 {recurrent} 步，卷积需要 {convolutional} 步，自注意"
    "力需要 {attention} 步。只有循环网络的步数随文本增长。",
    "learn_recurrent_lesson_time": "在一个处理器核上读 {t, number} 个字节：循环网络用 {recurrent} 毫秒，卷积用"
    " {convolutional} 毫秒，自注意力用 {attention} 毫秒。",
    "learn_recurrent_lesson_bits": "用同样的字节训练同样的步数之后，最低的损失是每字节 {bits} 比特：{kind}。",
    "learn_recurrent_try_one": "一步",
    "learn_recurrent_try_time": "更长文本的时间",
    "learn_recurrent_try_bits": "哪种更好？",
    "learn_recurrent_question": "这个循环网络有两层。第一个字节经过多少步才能到达它的最后一个输出？",
    "learn_recurrent_choice_layers": "每层一步",
    "learn_recurrent_choice_each": "每个字节至少一步",
    "learn_recurrent_choice_never": "永远到达不了",
    "learn_recurrent_answer": "对这 {count} 个字节：{recurrent} 步。自注意力需要 {attention} 步。",
}
