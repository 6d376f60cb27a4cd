"""What a metric is: statistics of one segment that add up, and a score from their sum.

Bootstrap intervals and paired tests follow from that for every metric, and live here.
"""
