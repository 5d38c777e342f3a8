"""An Airflow DAG that imports every night; put it into the folder of DAGs. Not run here."""
from datetime import datetime, timedelta

from airflow import DAG
from airflow.operators.bash import BashOperator

with DAG("mergewalk_orders", schedule="30 2 * * *", start_date=datetime(2024, 1, 1), catchup=False,
         max_active_runs=1) as dag:
    BashOperator(
        task_id="import",
        # 1: rejects inside the limits, which is success. 4 and 6: stopped, or another process holds the store; the next try
        # resumes. The others fail again on each try, which does no harm: the store is as before.
        bash_command="mergewalk run /etc/mergewalk/orders.yaml --log json || [ $? -eq 1 ]",
        retries=3, retry_delay=timedelta(minutes=5))
