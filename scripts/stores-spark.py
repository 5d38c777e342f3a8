#!/usr/bin/env python3
"""Builds a family of stores with Spark: stores-spark.py PIPELINE FOLDER TASKS COLUMN SOURCE [OPTION=VALUE...]

Spark reads the source (CSV with a header, all lines of which end alike), splits it by the column, and runs the tasks; it tries
those again that fail. The folder must be one that all executors see. MERGEWALK is the command; options are Spark's, such as
spark.master=local-cluster[2,1,1024] or spark.speculation=true.
"""
import os, shutil, subprocess, sys

from pyspark.sql import SparkSession

pipeline, folder, tasks, column, source = sys.argv[1:6]
pipeline, folder, tasks = os.path.abspath(pipeline), os.path.abspath(folder), int(tasks)
mergewalk = os.environ.get("MERGEWALK", "mergewalk")
split = folder + ".split"
# By default Spark takes a backslash for the escape, a line break in quotes for the end of a record, and trims what it writes.
dialect = {"header": True, "quote": '"', "escape": '"', "multiLine": True,
           "ignoreLeadingWhiteSpace": False, "ignoreTrailingWhiteSpace": False}


def ok(*arguments):
    """Runs a step; 1 is success, with rejects inside the limits."""
    code = subprocess.run([mergewalk, "stores", *arguments, "--quiet"]).returncode
    if code not in (0, 1): raise RuntimeError(f"mergewalk stores {' '.join(arguments)}: {code}")
    return code


def task(number):
    # An executor has its own copy of this script's globals.
    return ok("task", folder, "--part", f"{number}/{tasks}")


builder = SparkSession.builder.appName("stores").config("spark.master", "local[2,4]").config("spark.ui.enabled", False)
for option in sys.argv[6:]: builder = builder.config(*option.split("=", 1))
spark = builder.getOrCreate()
try:
    shutil.rmtree(split, ignore_errors=True)
    spark.read.options(**dialect).csv("file://" + os.path.abspath(source)) \
        .write.partitionBy(column).options(**dialect).csv("file://" + split)
    ok("plan", pipeline, split, "--out", folder)
    spark.sparkContext.parallelize(range(1, tasks + 1), tasks).map(task).collect()
    code = ok("commit", folder)
finally:
    spark.stop()
sys.exit(code)
