# The duplicate filter of scrapy-redis: arguments are the port, and the document that has one with a client of its own. The key of each
# filter has a map, and is a set of its own.

import re
import sys

import redis
from scrapy.http import Request
from scrapy.settings import Settings
from scrapy.spiders import Spider
from scrapy_redis.dupefilter import RFPDupeFilter

port, document = int(sys.argv[1]), open(sys.argv[2]).read()
requests = [Request(f"https://example.org/{i}") for i in range(3)]


def seen(filter, some):
    return [filter.request_seen(request) for request in some]


filters = [RFPDupeFilter(redis.Redis(port=port), key=f"{name}:dupefilter") for name in ["one", "two"]]
assert seen(filters[0], requests[:2]) == [False, False]
assert seen(filters[0], requests) == [True, True, False]
assert seen(filters[1], requests) == [False, False, False]
later = RFPDupeFilter(redis.Redis(port=port), key="one:dupefilter")
assert seen(later, requests) == [True, True, True]
spider = Spider("spider")
spider.settings = Settings({"REDIS_PORT": port})
made = RFPDupeFilter.from_spider(spider)
assert seen(made, requests[:1] * 2) == [False, True]
try:
    made.close()
    raise AssertionError("the filter was cleared")
except redis.ResponseError as error:
    assert "is not for keys of the map *:dupefilter=first" in str(error), error

[code] = re.findall(r"```python\n(.*?)```", document, re.DOTALL)
defined = {}
exec(code.replace("6390", str(port)), defined)
spider.name = "documented"
assert seen(defined["DupeFilter"].from_spider(spider), requests[:1] * 2) == [False, True]
