"""Chinese messages of Learn's section "BERT"."""

from __future__ import annotations

MESSAGES = {
    "learn_bert_title": "BERT",
    "learn_bert_text": "BERT 没有因果掩码：每个词元都关注左右两边，所以不能用预测下一个词元来训练。\n\n训练时改为选出"
    " 15% 的词元，把其中大多数用 [MASK] 遮住，让模型来预测。它的词元是 WordPiece：常用词是一个词元，生僻词是好几个，#"
    "# 表示接续前面的部分。\n\n第一个词元 [CLS] 代表整段文本。模型由它的最后一个向量预测，两段文本中的第二段是否紧接"
    "第一段。要做别的任务，例如判断影评，只需在这个向量上加一个新的层，再把所有权重稍微训练一下，这就是微调（"
    "fine-tuning）。",
    "learn_bert_show": "显示",
    "learn_bert_show_words": "填词",
    "learn_bert_show_texts": "两段文本",
    "learn_bert_show_figures": "数据",
    "learn_bert_show_words_hint": "点一个词把它遮住，看模型猜什么",
    "learn_bert_show_texts_hint": "由 [CLS] 预测第二段是否紧接第一段",
    "learn_bert_show_figures_hint": "模型的正确率，训练之后测得",
    "learn_bert_field": "文本",
    "learn_bert_first": "第一段",
    "learn_bert_second": "第二段",
    "learn_bert_read": "模型的输入",
    "learn_bert_hidden": "带边框的是被遮住的词元。[CLS] 在最前面，[SEP] 表示一段文本结束。",
    "learn_bert_ground": "词元的底色表示最后一个块中 [CLS] 对它的关注程度（各头的均值，平方根标度）。竖线标出第二段文本"
    "的开头。",
    "learn_bert_piece": "“{label}”，{second, select, yes {属于第二段} other {属于第一段}}：[CLS] 给它 {share}",
    "learn_bert_verdict": "由 [CLS] 得出的预测",
    "learn_bert_follows": "紧接",
    "learn_bert_other": "不紧接",
    "learn_bert_no_judge": "这个模型没有判断两段文本的输出层。",
    "learn_bert_card": "两个任务，数据取自模型卡",
    "learn_bert_no_card": "“{model}”的模型卡没有这两个任务的数据。",
    "learn_bert_right": "正确率",
    "learn_bert_without": "基线",
    "learn_bert_masked_accuracy": "被遮住的词元",
    "learn_bert_next_sentence_other": "是紧接，还是来自另一篇文章",
    "learn_bert_next_sentence_same": "是紧接，还是来自同一篇文章的别处",
    "learn_bert_source": "共 {rows, plural, other {{rows, number} 行}}，取自{split, select, val {验证集} test {测试集}"
    " other { {split}}}，每行最多 {context} 个词元。基线不看文本：总是猜最常见的词元；在两种同样多的情况中任选一种。测"
    "量命令：",
    "learn_bert_masks": "文章中的消融实验：再训练 {steps} 步之后，被遮住的词元猜对的比例",
    "learn_bert_mask": "{name, select, causal {每个词元只看前面的词元} other {每个词元看两边}}",
    "learn_bert_masks_note": "两个模型都从这些权重开始，读同样的数据，只有掩码不同（[CLS] 仍能看到全部）。在验证集的"
    "前一百万字节上测量。",
    "learn_bert_tuned": "微调后判断影评：在{split, select, val {验证集} test {测试集} other { {split} }}上的正确率",
    "learn_bert_row": "{name, select, pretrained {经过预训练} not_pretrained {未经预训练} causal {预训练后在因果掩码下"
    "微调} other {{name}}}",
    "learn_bert_alone": "它的模型卡没有可比较的数据：既没有未经预训练的同一模型，也没有因果掩码下的模型。",
    "learn_bert_not_tuned": "这里没有微调过的模型 bert-reviews，所以无法比较预训练的作用。",
    "learn_bert_lesson_none": "点一个词，把它遮住。",
    "learn_bert_lesson_word": "对{count, select, 1 {被遮住的词元} other { {count} 个被遮住的词元中的第一个}}，模型预测"
    "“{said}”（{share}）{known, select, right {，猜对了} yes {；正确的是“{truth}”（{chance}）} other {}}。",
    "learn_bert_lesson_texts": "第二段紧接第一段的概率：{share}。",
    "learn_bert_lesson_figures": "被遮住的词元，它猜对了 {found}；总是猜最常见的词元，只能猜对 {commonest}。{known, "
    "select, yes {在因果掩码下继续训练，只猜对 {causal}。} other {}}",
    "learn_bert_try_pieces": "生僻词",
    "learn_bert_try_other": "换一个第二段",
    "learn_bert_try_figures": "它有多好？",
    "learn_bert_question": "紧挨着第一个空位再遮住一个词元。遮住空位的哪一边，会改变模型在这个空位上的预测？",
    "learn_bert_choice_before": "只有前面",
    "learn_bert_choice_after": "只有后面",
    "learn_bert_choice_both": "哪一边都会",
    "learn_bert_sides": "请先遮住一个左右两边都有词的词。",
    "learn_bert_answer": "把空位前面的词元也遮住，空位上各词的概率最多变化 {before}；遮住后面的词元，最多变化"
    " {after}。",
}
