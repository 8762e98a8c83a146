#!/usr/bin/env bash
# Builds a book with Spark on this machine and compares it with that of `juzhong book build`.
#
#   contrib/spark/local-cluster.sh PROGRAM CONVERTER VENV INPUT...
#
# PROGRAM is juzhong, CONVERTER juzhong-parquet, VENV a virtual environment with PySpark. MASTER is
# Spark's mode: local-cluster[2,1,1024], two workers in processes of their own with one core and
# 1024 MiB each, unless it is set.
set -euo pipefail
juzhong=$(realpath "$1")
converter=$(realpath "$2")
venv=$(realpath "$3")
shift 3
here=$(realpath "$(dirname "${BASH_SOURCE[0]}")")
work=$(mktemp -d)
trap 'code=$?; [ $code = 0 ] || tail -n 60 "$work/log"; rm -rf "$work"' EXIT

export SPARK_LOCAL_IP=127.0.0.1 PYSPARK_PYTHON="$venv/bin/python"
export SPARK_HOME="${SPARK_HOME:-$("$venv/bin/python" -c 'import os, pyspark; print(os.path.dirname(pyspark.__file__))')}"
export SPARK_WORKER_DIR="$work/worker" # not within the virtual environment
master=${MASTER:-"local-cluster[2,1,1024]"}
"$SPARK_HOME/bin/spark-submit" --master "$master" --conf spark.ui.enabled=false \
    --conf spark.driver.bindAddress=127.0.0.1 --conf spark.driver.host=127.0.0.1 \
    --conf spark.sql.shuffle.partitions=3 --conf spark.local.dir="$work/spark" \
    --conf spark.executor.memory=768m --conf spark.driver.memory=768m \
    "$here/juzhong_book.py" --juzhong "$juzhong" --converter "$converter" --work "$work/shards" --tasks 5 \
    -o "$work/spark.book" "$@" > "$work/log" 2>&1
"$juzhong" book build "$@" -o "$work/build.book" >> "$work/log" 2>&1
cmp "$work/spark.book" "$work/build.book"
echo "$master: the book of Spark is that of book build, $(stat -c %s "$work/build.book") bytes"
