"""Chinese messages of Learn's section "Why it works"."""

from __future__ import annotations

MESSAGES = {
    "learn_films_title": "为什么有效",
    "learn_films_text": "如果用同样的特征描述两样东西，它们的点积（dot product）就衡量两者有多契合。\n\n用几个数描述一"
    "部电影，这些数叫作特征；再用同样多的数描述一个人的口味。两者契合时，它们的点积就大：喜好一致使点积增大，相反则使它"
    "减小。先试着手动设定这些数。\n\n没有人有时间为每部电影都这样做，所以这些数要靠学习得到。你只需给出谁喜欢什么，训练"
    "会调整这些数，直到点积与喜好相符。这是矩阵分解（matrix factorisation），不是自注意力；但两者都用学到的向量的点积来"
    "表达含义。词的向量也是这样得到的。",
    "learn_films_show": "显示",
    "learn_films_show_hand": "手动设定",
    "learn_films_show_hand_hint": "三个人和四部电影的特征，以及它们的点积",
    "learn_films_show_learn": "学习得到",
    "learn_films_show_learn_hint": "根据谁喜欢什么学到的特征",
    "learn_films_show_words": "词",
    "learn_films_show_words_hint": "在一个模型训练好的词向量中寻找最近的词",
    "learn_films_people": "人",
    "learn_films_films": "电影",
    "learn_films_feature": "{name}：{feature}",
    "learn_films_feature_0": "爱情",
    "learn_films_feature_1": "动作",
    "learn_films_products": "点积：谁喜欢什么",
    "learn_films_lesson_hand": "{person} 与《{film}》的点积最大：{score}。调整一个特征，就能改变谁喜欢什么。",
    "learn_films_play": "训练",
    "learn_films_step": "训练步",
    "learn_films_loss": "第 {step} 步：损失 {loss}",
    "learn_films_seed": "随机种子",
    "learn_films_like_how": "♥ 表示喜欢，· 表示不喜欢，点击即可切换。小号数字是预测值。“?”不用于训练；损失只计算其余各"
    "格的误差。",
    "learn_films_chart": "人和电影在两个学到的特征所成的平面上的位置，以及各自的起点。",
    "learn_films_learned_feature": "学到的特征 {number}",
    "learn_films_like": "{person}，《{film}》：{held, select, yes {不用于训练} other {点击切换}}；预测为 {share}",
    "learn_films_lesson_learn": "模型在训练时从未见过 {person} 是否喜欢《{film}》；预测值为 {share}。",
    "learn_films_word": "“{model}”认识的词",
    "learn_films_by_dot": "按点积",
    "learn_films_by_cosine": "按余弦（忽略长度）",
    "learn_films_near": "{value}，长度 {length}",
    "learn_films_near_how": "点积偏向长的向量：向量长的词，可能排在含义更近的词前面。",
    "learn_films_guess_far": "文章猜想，没有哪个词与“{word}”含义相近。这里它与“{other}”的余弦为 {cosine}（0 表示无关，1"
    " 表示方向相同），比全部词中 {less} 的词都高。",
    "learn_films_guess_near": "文章还猜想“{word}”与“{other}”彼此接近：两者的余弦为 {cosine}，比全部词中 {less} 的词与"
    "“{word}”的余弦都高。",
    "learn_films_lesson_words": "与“{word}”最近的词：按点积是“{dot}”，按余弦是“{cosine}”。",
    "learn_films_try_turn": "{person} 不再喜欢爱情片",
    "learn_films_try_learn": "从另一个起点训练",
    "learn_films_try_words": "“wonderful”附近的词",
    "learn_films_question": "模型从未见过 {person} 是否喜欢《{film}》。根据现在的其他喜好，它会预测什么？",
    "learn_films_choice_yes": "喜欢",
    "learn_films_choice_no": "不喜欢",
    "learn_films_choice_even": "约 50%",
    "learn_films_answer": "对 {person} 和《{film}》，模型的预测是 {share}。它只能依据口味相近的其他人来判断。",
    "learn_films_sentence": "the cat walks on the street",
}
