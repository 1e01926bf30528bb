"""What the service asks and how it declines."""

from __future__ import annotations

from app.records import ScopeIssue, Topic

QUESTIONS: dict[Topic, str] = {
    Topic.NEED: "What role are you hiring for, and what matters most in it (level, skills, kind of test)?",
    Topic.AUDIENCE: "Who is this meant for: which roles are they, and what should the results decide?",
    Topic.FOCUS: "What should the tests show for this role? A level, the skills that matter most, or a kind of test"
    " (knowledge, ability, personality, simulation) is enough.",
    Topic.PURPOSE: "Is this for selection or development: do you want to choose people or to develop people who are"
    " already in role?",
    Topic.SPOKEN_LANGUAGE: "What language are the calls in? That decides which spoken-language test fits.",
    Topic.ACCENT: "Which accent are your callers used to? The spoken test comes in these variants: {variants}.",
    Topic.TEST_LANGUAGE: "These are not offered in {language}: {lacking}. Can your candidates take those knowledge tests"
    " in English (a hybrid, with the rest in {language}), or shall I leave them out?",
    Topic.STACK_SIDE: "That text names {count} areas: {areas}. What will this person own day to day: backend, frontend,"
    " or a balanced mix, and which of these are needed from day one?",
    Topic.OWNERSHIP: "Is this a senior individual contributor, or a tech lead who guides other engineers? A lead gets a"
    " test of judgement beside the technical ones.",
    Topic.NO_TEST: "{missing} The nearest the catalogue has: {nearest}. Shall I build a shortlist from these?",
    Topic.REJECTED: "Understood, that list is not right. What was wrong with it: the level, the length, or what is"
    " measured?",
    Topic.UNKNOWN_NAME: "{unknown} not in the catalogue, so I cannot list or compare {pronoun}.{suggestion}",
}

DECLINES: dict[ScopeIssue, str] = {
    ScopeIssue.OFF_TOPIC: "That is outside what I can help with: I only advise on SHL assessments.",
    ScopeIssue.LEGAL: "I cannot judge legal duties or whether a test meets them; please ask your legal counsel, or an"
    " occupational psychologist for questions of fairness.",
    ScopeIssue.HR_ADVICE: "I cannot advise on pay, contracts or other HR matters; I only help to choose assessments.",
    ScopeIssue.CHEATING: "I cannot help with test content, answers or ways around a test; SHL offers official practice"
    " material for candidates.",
    ScopeIssue.PROTECTED_GROUP: "I will not help to screen people out by age, sex, origin, family, health or belief;"
    " I can help you test what the job itself requires.",
    ScopeIssue.STEERING: "I only advise on SHL assessments from the catalogue, and I keep to that.",
    ScopeIssue.SCORE_POLICY: "The catalogue says nothing about prices, retakes, cut-offs or how long results may be used;"
    " that depends on your account and policy, so please ask SHL support.",
    ScopeIssue.DIAGNOSIS: "These assessments describe behaviour at work; they do not diagnose or judge health. A clinician"
    " is the right address.",
}
