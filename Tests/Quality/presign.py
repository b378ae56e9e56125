# Presigned addresses of boto3, at a fixed time: what S3Bucket is held against.
import datetime, json, sys
import boto3, botocore.auth
from botocore.config import Config

TIME = datetime.datetime(2026, 11, 29, 8, 5, 9)
cases = [
    ("http://127.0.0.1:8333", "voices", "us-east-1", "put_object", "comlink/a1b2.ogg", {"ContentType": "audio/ogg"}, 900),
    ("http://127.0.0.1:8333", "voices", "us-east-1", "put_object", "comlink/a1b2.ogg",
     {"ContentType": "audio/wav", "ContentLength": 48044}, 900),
    ("https://s3.eu-central-1.amazonaws.com", "voices", "eu-central-1", "get_object", "comlink/a1b2.ogg", {}, 60),
    ("https://storage.example.org/s3", "my.bucket-1", "garage", "get_object", "a b/ü+&=~_.ogg", {}, 604800),
]
class Fixed(datetime.datetime):
    @classmethod
    def utcnow(cls): return TIME
    @classmethod
    def now(cls, tz=None): return TIME.replace(tzinfo=tz)
botocore.auth.datetime.datetime = Fixed if hasattr(botocore.auth.datetime, "datetime") else Fixed
try:
    import botocore.compat
    botocore.auth.get_current_datetime = lambda remove_tzinfo=True: TIME
except Exception: pass
for endpoint, bucket, region, op, key, more, seconds in cases:
    s3 = boto3.client("s3", endpoint_url=endpoint, region_name=region, aws_access_key_id="AKIDEXAMPLE",
      aws_secret_access_key="wJalrXUtnFEMI/K7MDENG+bPxRfiCYEXAMPLEKEY",
      config=Config(signature_version="s3v4", s3={"addressing_style": "path"}))
    print(s3.generate_presigned_url(op, Params={"Bucket": bucket, "Key": key, **more}, ExpiresIn=seconds))
