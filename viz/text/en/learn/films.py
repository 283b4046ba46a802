"""Section "Why it works" says."""

from __future__ import annotations

MESSAGES = {
    "learn_films_title": "Why it works",
    "learn_films_text": "Describe a film by a few numbers, its features, and what a person likes by as many. Their dot"
    " product is large where the two agree: a shared liking or dislike adds to it, a clash takes from it. Set the"
    " numbers by hand first.\n\nNobody has time to write such numbers, so let them be learned: give only who likes"
    " what, and move the numbers until the dot products match it. This is matrix factorisation, which is not"
    " self-attention; what the two share is that the meaning lies in dot products of learned vectors. Words get their"
    " vectors in the same way.",
    "learn_films_show": "Show",
    "learn_films_show_hand": "by hand",
    "learn_films_show_hand_hint": "Features of three people and four films, and their dot products",
    "learn_films_show_learn": "learned",
    "learn_films_show_learn_hint": "Features that are learned from who likes what",
    "learn_films_show_words": "words",
    "learn_films_show_words_hint": "The nearest words among the trained vectors of a model",
    "learn_films_people": "People",
    "learn_films_films": "Films",
    "learn_films_feature": "{name}: {feature}",
    "learn_films_feature_0": "romance",
    "learn_films_feature_1": "action",
    "learn_films_products": "Dot products: who likes what",
    "learn_films_lesson_hand": "{person}’s largest dot product is with “{film}”: {score}. Move a feature, and see who"
    " likes what.",
    "learn_films_play": "Train",
    "learn_films_step": "Step of the training",
    "learn_films_loss": "step {step}: loss {loss}",
    "learn_films_seed": "Seed",
    "learn_films_like_how": "♥ likes it, · does not: click to change. In small: what the training makes of it. “?” is"
    " kept from the training. The loss says how wrong it is on all others.",
    "learn_films_chart": "People and films in the plane of the two learned features, and where they came from.",
    "learn_films_learned_feature": "learned feature {number}",
    "learn_films_like": "{person}, “{film}”: {held, select, yes {kept from training} other {click to change}};"
    " predicted {share}",
    "learn_films_lesson_learn": "Nobody told the training whether {person} likes “{film}”; it gives {share}.",
    "learn_films_word": "Word known to “{model}”",
    "learn_films_by_dot": "By dot product",
    "learn_films_by_cosine": "By cosine, length left out",
    "learn_films_near": "{value}, length {length}",
    "learn_films_near_how": "Dot products favour long vectors: a long one may come before words closer in meaning.",
    "learn_films_guess_far": "The article guesses that “{word}” is near no word in meaning. Here its cosine with"
    " “{other}” is {cosine} (0 for unrelated, 1 for the same direction), more than {less} of all words have.",
    "learn_films_guess_near": "It guesses that “{word}” and “{other}” are near each other: their cosine is {cosine},"
    " more than {less} of all words have with “{word}”.",
    "learn_films_lesson_words": "Nearest to “{word}” by dot product: “{dot}”; by cosine: “{cosine}”.",
    "learn_films_try_turn": "{person} goes off romance",
    "learn_films_try_learn": "Train from another start",
    "learn_films_try_words": "Near “wonderful”",
    "learn_films_question": "Whether {person} likes “{film}” is kept from the training. What will it predict, with the"
    " likes as they are now?",
    "learn_films_choice_yes": "A like",
    "learn_films_choice_no": "No like",
    "learn_films_choice_even": "About even",
    "learn_films_answer": "It gives {person} and “{film}” {share}: from others of the same taste, and nothing else.",
    "learn_films_sentence": "the cat walks on the street",
}
