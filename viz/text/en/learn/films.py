"""Messages of Learn's section "Why it works"."""

from __future__ import annotations

MESSAGES = {
    "learn_films_title": "Why it works",
    "learn_films_text": "A dot product measures how well two things match, if both are described by the same features."
    "\n\nDescribe each film by a few numbers, its features, and each person’s taste by the same number of numbers."
    " Their dot product is large when the two agree: agreement raises it, disagreement lowers it. Set the numbers by"
    " hand first.\n\nNobody has time to do that for every film, so the numbers are learned. You only say who likes"
    " what; training adjusts the numbers until the dot products match. This is matrix factorisation, not"
    " self-attention, but both express meaning by dot products of learned vectors. Words get their vectors in the same"
    " way.",
    "learn_films_show": "Show",
    "learn_films_show_hand": "by hand",
    "learn_films_show_hand_hint": "Features of three people and four films, and their dot products",
    "learn_films_show_learn": "learned",
    "learn_films_show_learn_hint": "Features learned from who likes what",
    "learn_films_show_words": "words",
    "learn_films_show_words_hint": "The nearest words among the trained vectors of a model",
    "learn_films_people": "People",
    "learn_films_films": "Films",
    "learn_films_feature": "{name}: {feature}",
    "learn_films_feature_0": "romance",
    "learn_films_feature_1": "action",
    "learn_films_products": "Dot products: who likes what",
    "learn_films_lesson_hand": "{person}’s largest dot product is with “{film}”: {score}. Move a feature to change who"
    " likes what.",
    "learn_films_play": "Train",
    "learn_films_step": "Training step",
    "learn_films_loss": "step {step}: loss {loss}",
    "learn_films_seed": "Seed",
    "learn_films_like_how": "♥ means “likes it”, · means “does not”; click to change. The small number is the"
    " prediction. “?” is hidden from training, and the loss is the error on all others.",
    "learn_films_chart": "People and films, placed by the two learned features, and where each started.",
    "learn_films_learned_feature": "learned feature {number}",
    "learn_films_like": "{person}, “{film}”: {held, select, yes {not used in training} other {click to change}};"
    " predicted {share}",
    "learn_films_lesson_learn": "Training never sees whether {person} likes “{film}”; the prediction is {share}.",
    "learn_films_word": "Word known to “{model}”",
    "learn_films_by_dot": "By dot product",
    "learn_films_by_cosine": "By cosine, ignoring length",
    "learn_films_near": "{value}, length {length}",
    "learn_films_near_how": "Dot products favour long vectors: a word with a long vector may come before words closer"
    " in meaning.",
    "learn_films_guess_far": "The article guesses that no word is close to “{word}” in meaning. Here its cosine with"
    " “{other}” is {cosine} (0 for unrelated, 1 for the same direction), higher than for {less} of all words.",
    "learn_films_guess_near": "It also guesses that “{word}” and “{other}” are close to each other: their cosine is"
    " {cosine}, higher than that of “{word}” with {less} of all words.",
    "learn_films_lesson_words": "Nearest to “{word}” by dot product: “{dot}”; by cosine: “{cosine}”.",
    "learn_films_try_turn": "{person} stops liking romance",
    "learn_films_try_learn": "Train from another start",
    "learn_films_try_words": "Near “wonderful”",
    "learn_films_question": "The model never saw whether {person} likes “{film}”. Given the other likes as they are"
    " now, what will it predict?",
    "learn_films_choice_yes": "Likes it",
    "learn_films_choice_no": "Does not like it",
    "learn_films_choice_even": "About 50 %",
    "learn_films_answer": "For {person} and “{film}” it predicts {share}. It can only judge by other people with"
    " similar taste.",
    "learn_films_sentence": "the cat walks on the street",
}
