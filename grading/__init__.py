"""The instructor's kit: assignments from the exercises, and grading with nbgrader.

Needs requirements-grading.txt besides the requirements of the course.
"""
