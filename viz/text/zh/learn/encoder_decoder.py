"""Chinese messages of Learn's section "Encoder-decoder"."""

from __future__ import annotations

MESSAGES = {
    "learn_encoder_decoder_title": "编码器-解码器",
    "learn_encoder_decoder_text": "编码器（encoder）不用掩码，读完整段文本，为每个字符给出一个向量：这份记忆（memory）"
    "是一个序列，而不是一个向量。解码器（decoder）写出答案。\n\n它的每个块先在因果掩码下关注已经写出的内容，再关注记忆"
    "，即交叉注意力（cross-attention）：查询来自答案，键和值来自文本。\n\n训练时，解码器要在所有位置上同时预测下一个字"
    "符，每次都以前面的正确字符为依据，这叫教师强制（teacher forcing）。文章说解码器得到的是输入句子；其实它得到的是目"
    "标的开头部分。独自写答案时，它接着自己写出的字符往下写，一处错误可能毁掉后面的一切。",
    "learn_encoder_decoder_field": "日期",
    "learn_encoder_decoder_target": "目标",
    "learn_encoder_decoder_target_hint": "答案应该是什么",
    "learn_encoder_decoder_unread": "本页无法把这段文本读作 {first} 到 {last} 之间的日期。请把正确答案填入“目标”，"
    "或换一个日期。",
    "learn_encoder_decoder_prefix": "解码器看到",
    "learn_encoder_decoder_prefix_true": "正确的前文",
    "learn_encoder_decoder_prefix_own": "自己写的前文",
    "learn_encoder_decoder_prefix_true_hint": "教师强制：前文取自目标，不管模型预测了什么",
    "learn_encoder_decoder_prefix_own_hint": "前文是模型自己写出的字符",
    "learn_encoder_decoder_layer": "层",
    "learn_encoder_decoder_head": "头",
    "learn_encoder_decoder_play_hint": "逐个字符播放；系统设为减少动态效果时，每按一次前进一个",
    "learn_encoder_decoder_step": "已写的字符",
    "learn_encoder_decoder_step_is": "第 {step} 步，共 {last} 步",
    "learn_encoder_decoder_map": "解码器关注文本中的什么：每行是它要写的一个字符，每列是它读的一个字符",
    "learn_encoder_decoder_rows": "要写的字符",
    "learn_encoder_decoder_columns": "记忆：{rows} 个 {emb} 维向量，每个词元一个",
    "learn_encoder_decoder_cell": "要写“{row}”时，这个头把 {share} 给了“{column}”。",
    "learn_encoder_decoder_places": "目标的每个字符和它的概率",
    "learn_encoder_decoder_to_write": "目标",
    "learn_encoder_decoder_after": "{prefix, select, true {前文（正确）} other {前文（自己）}}",
    "learn_encoder_decoder_given": "概率",
    "learn_encoder_decoder_bits": "{bits} 比特",
    "learn_encoder_decoder_bits_hint": "整个目标的损失，算到模型写完答案为止",
    "learn_encoder_decoder_character": "接在“{read}”之后，目标“{target}”的概率为 {share}；最可能的是“{says}”。",
    "learn_encoder_decoder_ended": "模型的答案已写完",
    "learn_encoder_decoder_forms": "{date}，以温度 1 写出",
    "learn_encoder_decoder_no_date": "两边都不是标准格式的日期，例如 2026-11-21。",
    "learn_encoder_decoder_right": "{right, select, yes {正确} other {错误}}",
    "learn_encoder_decoder_judged": "由一个基于规则的程序检查，它与生成训练数据的程序没有共用代码。",
    "learn_encoder_decoder_lesson_same": "模型写出的正是目标：两种输入相同，损失为 {bits} 比特。",
    "learn_encoder_decoder_lesson_other": "模型写出“{own}”。看到正确的前文时，目标的损失为 {bits} 比特；看到自己写的前"
    "文时，为 {given} 比特{short, select, yes {（算到它写完为止）} other {}}。",
    "learn_encoder_decoder_try_read": "它能读对的文本",
    "learn_encoder_decoder_try_back": "反过来写日期",
    "learn_encoder_decoder_try_forms": "其他写法",
    "learn_encoder_decoder_question": "解码器从文本中得到什么？",
    "learn_encoder_decoder_choice_one": "整段文本一个向量",
    "learn_encoder_decoder_choice_each": "每个词元一个向量",
    "learn_encoder_decoder_choice_written": "每个已写的字符一个向量",
    "learn_encoder_decoder_answer": "文本有 {tokens, plural, other {# 个词元}}：它的字符，加上一个说明任务的词元。记忆"
    "有 {rows, plural, other {# 个}} {emb} 维向量。",
}
