"""Chinese messages of Learn's section "Self-attention"."""

from __future__ import annotations

MESSAGES = {
    "learn_self_attention_title": "自注意力",
    "learn_self_attention_text": "自注意力（self-attention）让每个词都能从其他词那里收集信息。\n\n这里，一个词就是一支"
    "箭头，你可以拖动它。两支箭头的点积（dot product）等于横坐标之积加纵坐标之积：箭头长且方向一致时点积大，夹角超过 9"
    "0° 时点积为负。softmax 把一个词的各个点积变成权重：以每个点积为指数取 e 的幂，再除以所有幂之和，因此权重之和为 1"
    "。把所有箭头各自乘以权重再相加，就得到这个词的输出 y；小圆环标出其他词的 y。\n\n这里没有任何东西是学到的，词序也"
    "不起作用：“the”出现两次，用的是同一支箭头，所以两处的输出 y 相同。",
    "learn_self_attention_words": "词",
    "learn_self_attention_plane": "平面上的箭头，每支代表一个词。可以拖动箭头的尖端，也可以用方向键移动。",
    "learn_self_attention_tip": "{word}：横 {x}，纵 {y}。可用方向键移动。",
    "learn_self_attention_products": "点积 x·x",
    "learn_self_attention_weights": "权重 w：对每一行取 softmax",
    "learn_self_attention_row": "显示“{word}”的求和过程",
    "learn_self_attention_sum": "y = {terms} = ({x}, {y})",
    "learn_self_attention_lesson": "“{word}”最关注{most, select, self {它自己} other {“{other}”}}：输出的 {share} 来自"
    "它。拖动箭头可以改变这一点。",
    "learn_self_attention_try_long": "让“{word}”的长度加倍",
    "learn_self_attention_try_square": "让“{word}”与“{other}”垂直",
    "learn_self_attention_try_short": "让所有箭头变得很短",
    "learn_self_attention_puzzle": "不移动“{word}”，让它对“{other}”的关注超过对它自己的关注。",
    "learn_self_attention_question": "如果所有箭头都缩短到原来的十分之一，权重会变成什么样？",
    "learn_self_attention_same": "不变：改变的只是长度",
    "learn_self_attention_even": "每个词几乎一样",
    "learn_self_attention_zero": "几乎为 0，因为点积几乎为 0",
    "learn_self_attention_answer": "点积缩小到百分之一，介于 {least} 与 {most} 之间。这些数如此接近，softmax 给每个词的"
    "权重都在 {low} 到 {high} 之间。",
}
