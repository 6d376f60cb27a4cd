"""From files of pairs to a good model in one command: find out, choose, time, train, measure.

files ─▶ readers ─▶ Survey ─▶ TaskKind ─▶ Candidates (recipes) ─▶ timed, halved ─▶ one model folder
"""
