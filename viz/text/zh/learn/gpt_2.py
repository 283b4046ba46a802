"""Chinese messages of Learn's section "GPT-2"."""

from __future__ import annotations

MESSAGES = {
    "learn_gpt_2_title": "GPT-2",
    "learn_gpt_2_text": "GPT-2 就是文章中的生成模型，只是略有改动，规模更大；它的词元是整个的词或词的片段（子词）。\n\n"
    "字节对编码（byte-pair encoding，BPE）以 256 个字节为最初的词元，反复把最常见的一对相邻词元合并成新的词元：任何文本"
    "都能读，常用词是一个词元，生僻词是好几个。\n\n一个词元包含若干字节，所以要按字节计算比特数，否则模型之间无法比较。"
    "文章中的 0.93 是 GPT-2 的作者公布的，来自最大的模型在 enwik8 上的结果：没有在上面训练过，上下文为 1,024 个词元。这"
    "里的模型很小，测量用的也是别的文本：它们只能互相比较。",
    "learn_gpt_2_show": "显示",
    "learn_gpt_2_show_pieces": "词元",
    "learn_gpt_2_show_bits": "比特",
    "learn_gpt_2_show_sizes": "规模",
    "learn_gpt_2_show_pieces_hint": "文本中合并了什么，以及每个词元的意外度",
    "learn_gpt_2_show_bits_hint": "以子词为词元的模型与以字节为词元的模型：架构相同，语料相同",
    "learn_gpt_2_show_sizes_hint": "已公布的几种规模和你自己设定的一种，各有多少参数",
    "learn_gpt_2_field": "文本",
    "learn_gpt_2_short": "请至少输入两个词元：第一个词元之前没有内容，无法预测它。",
    "learn_gpt_2_level": "合并次数",
    "learn_gpt_2_level_is": "{merges, plural, other {{merges, number} 次合并}}",
    "learn_gpt_2_pieces": "{bytes, plural, other {# 个字节}}分成 {pieces, plural, other {# 个词元}}：每个 {each} 字节",
    "learn_gpt_2_piece": "“{label}”：词表中的第 {id} 号，{bytes, plural, other {# 个字节}}{bits, select, none {} other"
    " {，{bits} 比特}}",
    "learn_gpt_2_coloured": "词元的底色表示它对“gpt”的意外度（surprise，单位为比特）：颜色越深，意外度越高。",
    "learn_gpt_2_uncoloured": "完成全部合并后，你看到的就是“gpt”读到的词元，以及每个词元的意外度。",
    "learn_gpt_2_on_text": "这段文本，从第二个词元起，共 {bytes} 字节",
    "learn_gpt_2_bits_of": "{bits} 比特每字节",
    "learn_gpt_2_unit": "{unit, select, piece {词元} other {字节}}",
    "learn_gpt_2_row_reads": "输入单位",
    "learn_gpt_2_row_vocabulary": "词表大小",
    "learn_gpt_2_row_parameters": "参数",
    "learn_gpt_2_row_context": "上下文",
    "learn_gpt_2_row_bytes": "训练字节数",
    "learn_gpt_2_row_seconds": "训练时间",
    "learn_gpt_2_row_bits": "比特每字节，完整上下文",
    "learn_gpt_2_row_equal": "比特每字节，256 字节的上下文",
    "learn_gpt_2_in_view": "{count} 个{unit, select, piece {词元} other {字节}}",
    "learn_gpt_2_minutes": "{minutes} 分钟{runs, select, 1 {} other {，{runs} 次运行}}",
    "learn_gpt_2_winner": "{ahead, select, yes {上下文相同时，“{pieces}”需要的比特更少。} other {上下文相同时，"
    "“{pieces}”需要的比特并不更少。}}{sooner, select, yes {它的训练时间也更短，所以时间相同时同样胜出。} other {这并不"
    "说明训练时间相同时的情况。}}",
    "learn_gpt_2_source": "数据取自模型卡：两个模型都没有训练过的 500 万字节。测量命令：",
    "learn_gpt_2_reported": "GPT-2 自己的数据来自其论文（Radford 等，2019，表 3），单位为比特每字节；文章写成了每字符。"
    "enwik8 是带标记的英文维基百科，而 GPT-2 的训练排除了维基百科。“gpt”和“generator”是在维基百科上训练的，测量用的是它"
    "的另一部分，大多不带标记。",
    "learn_gpt_2_column_name": "模型",
    "learn_gpt_2_column_depth": "块数",
    "learn_gpt_2_column_emb": "e",
    "learn_gpt_2_column_heads": "头数",
    "learn_gpt_2_column_tokens": "词元嵌入",
    "learn_gpt_2_column_positions": "位置嵌入",
    "learn_gpt_2_column_blocks": "各个块",
    "learn_gpt_2_column_total": "参数总数",
    "learn_gpt_2_column_reported": "enwik8",
    "learn_gpt_2_own": "你的",
    "learn_gpt_2_depth": "块数",
    "learn_gpt_2_heads": "头数（每头 64 维）",
    "learn_gpt_2_counted": "在构建出的模块上计数，不为权重分配内存：50,257 个词元，1,024 个位置。输出层复用词元的嵌入，"
    "没有自己的权重。论文把 gpt2 称为 117M，把 gpt2-xl 称为 1542M；两者的参数实际都更多。",
    "learn_gpt_2_lesson_pieces": "经过 {merges, plural, other {{merges, number} 次合并}}，{bytes} 个字节变成 {pieces}"
    " 个词元。这段文本，“gpt”需要 {gpt} 比特每字节，“generator”需要 {generator}。",
    "learn_gpt_2_lesson_bits": "上下文为 256 字节时，“gpt”的词元有好几个字节长，它需要 {gpt} 比特每字节，“generator”需"
    "要 {generator}。",
    "learn_gpt_2_lesson_sizes": "{depth, plural, other {# 个块}}，嵌入为 {emb} 维：共 {total} 个参数，其中 {share} 在块"
    "中。",
    "learn_gpt_2_try_bytes": "合并之前",
    "learn_gpt_2_try_foreign": "生僻词",
    "learn_gpt_2_try_bits": "它更好吗？",
    "learn_gpt_2_question": "“gpt”看到 256 个词元，约 1,000 字节；“generator”看到 256 字节。如果两者都只看到 256 字节，"
    "哪个每字节需要的比特更少？",
    "learn_gpt_2_choice_pieces": "“gpt”需要的仍然更少",
    "learn_gpt_2_choice_bytes": "“generator”需要的更少",
    "learn_gpt_2_answer": "上下文为 256 字节时，“gpt”需要 {gpt}，“generator”需要 {generator}。",
}
