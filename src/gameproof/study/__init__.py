"""The reader study: its file, its flow, its store and its analysis.

The web page uses `desk.Desk`, `conduct.Conductor`, `store.open_store`, `study_file.read_study` and the values of `flow`
(`Page`, `AnswerError`) and `model` (`Study`); docs/decisions/0006 says how.
"""
