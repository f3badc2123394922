"""The words of the page, one table: a language is one more row.

A study's own texts (title, consent, questions) come from its file. What a row lacks is said in English. Names in braces
are filled in; a test holds every row to the names of the English one.
"""

from collections.abc import Mapping

__all__ = ["DEFAULT_LANGUAGE", "FROM_RIGHT", "TEXTS", "say"]

DEFAULT_LANGUAGE = "en"
FROM_RIGHT = frozenset({"ar", "dv", "fa", "he", "ps", "ur", "yi"})  # languages written from right to left

TEXTS: Mapping[str, Mapping[str, str]] = {
    "en": {
        "skip": "Skip to the content",
        "language": "Language",
        "required": "needed",
        "optional": "optional",
        "your_id": "Your id in this study:",
        "contact": "Contact:",
        "pause": "Pause, or go on with another device",
        "back": "Back to the study",
        "problems": "Please look at this again:",
        # welcome, links
        "welcome.begin": "Begin",
        "welcome.closed": "This study is by invitation",
        "welcome.closed_text": "Please open the link that you were sent. If it used to work in this browser, open it once more: it brings you back to where you were.",
        "welcome.full": "This study has all the readers it needs",
        "welcome.full_text": "Thank you for your interest. If you have taken part before, open your own link to go on.",
        "join.unknown": "This link does not work",
        "join.unknown_text": "It may be incomplete, too old, or withdrawn. Please copy the whole link from your invitation, or ask for a new one.",
        "join.other": "Another reader is using this browser",
        "join.other_text": "The link that you opened belongs to somebody else than the reader who used this browser last. Go on as the reader whom the link belongs to?",
        "join.switch": "Yes, go on with this link",
        # consent
        "consent.title": "Before you begin",
        "consent.agree": "I have read this, and I agree to take part.",
        "consent.button": "Continue",
        "consent.needed": "To take part, please tick the box.",
        # profile
        "profile.title": "About you",
        "profile.text": "A few words about you as a reader. Please give no names.",
        "profile.button": "Continue",
        "profile.choose": "Please choose",
        # query
        "query.progress": "Question {number} of up to {total}",
        "query.title": "What would you like to know?",
        "query.label": "Your question",
        "query.button": "Search and summarise",
        "query.suggested": "Questions of this study",
        "query.suggested_text": "Choose one; each has its own documents.",
        "query.finish_title": "No further question?",
        "query.finish_text": "You need not use all of them. Questions you have answered so far: {n}.",
        "query.finish": "Finish here",
        "notice.nothing_found": "No document was found for your last question. Other words may help; the question did not count.",
        "notice.search_failed": "The search did not answer, so your last question could not be worked on. It did not count: please try again, or ask another one.",
        "notice.too_few_summaries": "Not enough summaries could be written for your last question. It did not count: please try again, or ask another one.",
        # preparing
        "preparing.title": "Preparing your summaries",
        "preparing.searching": "Looking for documents that fit your question.",
        "preparing.found": "Documents found: {n}.",
        "preparing.writing": "Summaries written: {done} of {total}.",
        "preparing.failed": "Could not be written: {n}. You go on without.",
        "preparing.wait": "This page goes on by itself. You may also close it and come back: nothing is lost.",
        "preparing.reload": "Look now",
        # compare
        "compare.progress": "Comparison {number} of up to {total}",
        "compare.title": "Which summary serves you better?",
        "compare.question": "Your question",
        "compare.summary": "Summary {n}",
        "compare.choose": "Summary {n}",
        "compare.neither": "Neither",
        "compare.group": "Your choice",
        "compare.hint": "Numbers in the text open the abstract that is cited.",
        "compare.keys": "Keys: 1, 2, and 0 for neither.",
        "compare.needed": "Please choose a summary, or neither.",
        "compare.empty": "(This summary is empty.)",
        # documents
        "documents.title": "The abstracts behind both summaries ({n})",
        "documents.source": "From: {source}.",
        "documents.skipped": "Found without an abstract, and left out: {n}.",
        "document.label": "Cited abstract {n}",
        "document.cited": "Abstract {n}: {title}",
        "document.close": "Close",
        "document.open": "Open the publication (new tab)",
        # thanks
        "thanks.title": "Thank you",
        "thanks.count": "Questions you have answered: {n}.",
        "thanks.more": "Ask one more question",
        # pause
        "pause.title": "Pause",
        "pause.text": "Everything you have done is stored. Close this page whenever you like; the link of your invitation, or this browser, brings you back to where you were.",
        "pause.other": "Another device",
        "pause.other_text": "Open your own link there; or make a new one, and write it down or send it to yourself. Whoever has it can go on in your name.",
        "pause.make": "Make a link",
        "pause.link": "Your link",
        "pause.once": "It is shown for ten minutes and cannot be looked up later.",
        "pause.shared": "A shared computer",
        "pause.shared_text": "If others use this browser, leave it: nobody can go on here without your link.",
        "pause.leave": "Leave this browser",
        # problems of fields
        "field.needed": "Please answer this.",
        "field.too_long": "This is too long: at most {limit} characters.",
        "field.not_a_choice": "Please choose one of the options.",
        "field.too_many": "These are too many: at most {limit}.",
        # what went wrong
        "error.400": "This request could not be read",
        "error.403": "This form cannot be accepted",
        "error.403_text": "It is too old, or it does not come from this page. Nothing was recorded. Go back to the study and answer there.",
        "error.404": "There is no such page",
        "error.413": "That was too much text",
        "error.413_text": "Nothing was recorded. Go back and shorten what you typed.",
        "error.429": "A moment, please",
        "error.429_text": "There were too many requests in a short time. Everything you have done is stored. Try again in {seconds} seconds.",
        "error.500": "Something went wrong on our side",
        "error.500_text": "What you did before is stored. Please try again in a minute; if it happens again, write to the contact of this study.",
        "error.503": "The study cannot be reached right now",
        "error.503_text": "What you did before is stored. Please try again in a minute.",
        "error.other_text": "Nothing was recorded. Go back to the study.",
    },
}


def say(language: str | None, key: str, **values: object) -> str:
    """Return a text in a language (of a regional one, its main language), else in English.

    Example:
        >>> say("xx", "query.progress", number=2, total=8)
        'Question 2 of up to 8'
    """
    for name in (language or "", (language or "").partition("-")[0]):
        text = TEXTS.get(name, {}).get(key)
        if text is not None:
            return text.format(**values)
    return TEXTS[DEFAULT_LANGUAGE][key].format(**values)
