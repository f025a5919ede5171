"""A server for tests with the requests of Qdrant's REST interface that the vector store sends, over Qdrant's own engine.

It is not Qdrant's server: qdrant-edge-py is the engine alone (segments, HNSW, payload indexes, filters). What the server
itself does (errors, batches, waiting, API keys) is written here. Usage: qdrant-edge-server.py PORT FOLDER
"""

import json
import re
import sys
import threading
import uuid
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

import qdrant_edge as edge


class Refusal(Exception):
    def __init__(self, status, text):
        super().__init__(text)
        self.status = status


class Collection:
    def __init__(self, folder, body):
        vectors = body["vectors"]
        distance = getattr(edge.Distance, vectors["distance"])
        params = edge.EdgeVectorParams(size=vectors["size"], distance=distance)
        self.vectors, self.metadata, self.indexes = vectors, body.get("metadata"), {}
        self.sparse = body.get("sparse_vectors") or {}
        sparse = {name: edge.EdgeSparseVectorParams(modifier=edge.Modifier.Idf) for name in self.sparse}
        # Changes are made one after the other; searches come between them.
        self.writing = threading.Lock()
        self.shard = edge.EdgeShard.create(folder, edge.EdgeConfig(vectors=params, sparse_vectors=sparse))

    def describe(self):
        # A server does this in the background.
        with self.writing:
            self.shard.optimize()
        info = self.shard.info()
        return {
            "status": "green",
            "points_count": info.points_count,
            "indexed_vectors_count": info.indexed_vectors_count,
            "segments_count": info.segments_count,
            "config": {"params": {"vectors": self.vectors, "sparse_vectors": self.sparse}, "metadata": self.metadata},
            "payload_schema": self.indexes,
        }

    def index(self, body):
        with self.writing:
            keyword = edge.PayloadSchemaType.Keyword
            self.shard.update(edge.UpdateOperation.create_field_index(body["field_name"], keyword))
            self.indexes[body["field_name"]] = {"data_type": body["field_schema"], "points": 0}
        return {"operation_id": 0, "status": "completed"}

    def add_vector(self, name, body):
        with self.writing:
            self.shard.update(edge.UpdateOperation.create_sparse_vector(name, edge.Modifier.Idf))
            self.sparse[name] = body["sparse"]
        return {"operation_id": 0, "status": "completed"}

    def update(self, body):
        self.metadata = {**(self.metadata or {}), **(body.get("metadata") or {})}
        return True

    def batch(self, body):
        for operation in body["operations"]:
            change = self.operation_of(operation)
            with self.writing:
                self.shard.update(change)
        return [{"operation_id": 0, "status": "completed"} for _ in body["operations"]]

    def operation_of(self, operation):
        if "upsert" in operation:
            sent = operation["upsert"]
            for point in sent["points"]:
                self.check(point["vector"])
            points = [edge.Point(id_of(p["id"]), vector_of(p["vector"]), p.get("payload")) for p in sent["points"]]
            return edge.UpdateOperation.upsert_points(points, condition=filter_of(sent.get("update_filter")))
        if "update_vectors" in operation:
            sent = operation["update_vectors"]["points"]
            missing = {id_of(p["id"]) for p in sent} - {uuid.UUID(str(p.id)) for p in self.shard.retrieve([id_of(p["id"]) for p in sent], False, False)}
            if missing:
                raise Refusal(404, f"Not found: No point with id {missing.pop()} found")
            points = [edge.PointVectors(id_of(p["id"]), vector_of(p["vector"])) for p in sent]
            return edge.UpdateOperation.update_vectors(points)
        deleted = operation["delete"]
        if "points" in deleted:
            return edge.UpdateOperation.delete_points([id_of(each) for each in deleted["points"]])
        return edge.UpdateOperation.delete_points_by_filter(filter_of(deleted["filter"]))

    def query(self, body):
        wanted, using = vector_of(body["query"]), body.get("using")
        if using is None:
            self.check(wanted)
        elif using not in self.sparse:
            raise Refusal(400, f"Wrong input: Not existing vector name error: {using}")
        request = edge.QueryRequest(
            limit=body.get("limit", 10),
            query=edge.Query.Nearest(wanted, using=using),
            filter=filter_of(body.get("filter")),
            with_payload=selector_of(body.get("with_payload", False)),
            params=edge.SearchParams(exact=(body.get("params") or {}).get("exact", False)),
        )
        found = self.shard.query(request)
        return {"points": [{"id": str(p.id), "version": p.version, "score": p.score, "payload": p.payload} for p in found]}

    def retrieve(self, body):
        ids = [id_of(each) for each in body["ids"]]
        found = self.shard.retrieve(ids, selector_of(body.get("with_payload", True)), body.get("with_vector", False))
        return [{"id": str(p.id), "payload": p.payload, "vector": json_of(p.vector)} for p in found]

    def scroll(self, body):
        offset = body.get("offset")
        request = edge.ScrollRequest(
            limit=body.get("limit", 10),
            offset=None if offset is None else id_of(offset),
            with_payload=selector_of(body.get("with_payload", True)),
            with_vector=body.get("with_vector", False),
        )
        found, following = self.shard.scroll(request)
        points = [{"id": str(p.id), "payload": p.payload} for p in found]
        return {"points": points, "next_page_offset": None if following is None else str(following)}

    def check(self, sent):
        vector = sent[""] if isinstance(sent, dict) else sent
        if len(vector) != self.vectors["size"]:
            text = f"Wrong input: Vector dimension error: expected dim: {self.vectors['size']}, got {len(vector)}"
            raise Refusal(400, text)


def id_of(sent):
    return sent if isinstance(sent, int) else uuid.UUID(sent)


def vector_of(sent):
    if isinstance(sent, list):
        return sent
    if "indices" in sent:
        return edge.SparseVector(sent["indices"], sent["values"])
    return {name: vector_of(vector) for name, vector in sent.items()}


def json_of(vector):
    if isinstance(vector, dict):
        return {name: json_of(each) for name, each in vector.items()}
    if isinstance(vector, edge.SparseVector):
        return {"indices": vector.indices, "values": vector.values}
    return vector


def selector_of(sent):
    return edge.PayloadSelector.Include(sent) if isinstance(sent, list) else sent


def filter_of(sent):
    if sent is None:
        return None
    parts = {name: [condition_of(each) for each in sent[name]] for name in ("must", "must_not") if name in sent}
    return edge.Filter(**parts)


def condition_of(sent):
    if "has_id" in sent:
        return edge.HasIdCondition({id_of(each) for each in sent["has_id"]})
    return edge.FieldCondition(sent["key"], match=edge.MatchValue(sent["match"]["value"]))


class Server(ThreadingHTTPServer):
    daemon_threads = True
    request_queue_size = 128

    def __init__(self, port, folder):
        self.folder, self.collections, self.changing = folder, {}, threading.Lock()
        super().__init__(("127.0.0.1", port), Handler)

    def answer(self, method, path, body):
        if path == "/":
            return None
        if (method, path) == ("GET", "/collections"):
            return {"collections": [{"name": name} for name in list(self.collections)]}
        match = re.fullmatch(r"/collections/([^/]+)(?:/(.+))?", path)
        if match is None:
            raise Refusal(404, "Not found")
        name, rest = match[1], match[2] or ""
        if (method, rest) == ("GET", "exists"):
            return {"exists": name in self.collections}
        if (method, rest) == ("PUT", ""):
            return self.create(name, body)
        if (method, rest) == ("DELETE", ""):
            with self.changing:
                return self.collections.pop(name, None) is not None
        collection = self.collections.get(name)
        if collection is None:
            raise Refusal(404, f"Not found: Collection `{name}` doesn't exist!")
        routes = {
            ("GET", ""): lambda: collection.describe(),
            ("PUT", "index"): lambda: collection.index(body),
            ("POST", "points"): lambda: collection.retrieve(body),
            ("POST", "points/scroll"): lambda: collection.scroll(body),
            ("POST", "points/query"): lambda: collection.query(body),
            ("POST", "points/batch"): lambda: collection.batch(body),
        }
        if method == "PATCH" and rest == "":
            return collection.update(body)
        if method == "PUT" and rest.startswith("vectors/"):
            return collection.add_vector(rest.removeprefix("vectors/"), body)
        if (method, rest) not in routes:
            raise Refusal(404, "Not found")
        return routes[(method, rest)]()

    def create(self, name, body):
        with self.changing:
            if name in self.collections:
                raise Refusal(409, f"Wrong input: Collection `{name}` already exists!")
            self.collections[name] = Collection(f"{self.folder}/{uuid.uuid4()}", body)
        return True


class Handler(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    disable_nagle_algorithm = True
    wbufsize = -1

    def serve(self):
        body = self.rfile.read(int(self.headers.get("content-length", 0)))
        try:
            path = self.path.split("?")[0]
            result = self.server.answer(self.command, path, json.loads(body) if body else {})
            answer = {"result": result, "status": "ok", "time": 0}
            if path == "/":
                answer = {"title": "the engine of Qdrant behind a server for tests", "version": "1.16.0"}
            self.reply(200, answer)
        except Refusal as refusal:
            self.reply(refusal.status, {"status": {"error": str(refusal)}, "time": 0})
        except Exception as error:
            self.reply(500, {"status": {"error": f"Service internal error: {error!r}"}, "time": 0})

    do_GET = do_PUT = do_POST = do_PATCH = do_DELETE = serve

    def reply(self, status, answer):
        text = json.dumps(answer).encode()
        self.send_response(status)
        self.send_header("content-type", "application/json")
        self.send_header("content-length", str(len(text)))
        self.end_headers()
        self.wfile.write(text)
        self.wfile.flush()

    def log_message(self, *_):
        pass


if __name__ == "__main__":
    Server(int(sys.argv[1]), sys.argv[2]).serve_forever()
