import { rulesOf } from "../rule.ts";

/** Rules for storage drivers, memories, vector stores and knowledge bases. */
export const storageRules = [
  ...rulesOf("Order of sessions (architecture §5)", {
    "session.order-in-ms": "sessions whose turns come in one millisecond are listed in the order of their turns",
  }),
  ...rulesOf("Storage driver", {
    "storage.get": "get returns a value, or null",
    "storage.set": "set stores a value under namespace and key",
    "storage.delete": "delete removes a key",
    "storage.list": "list returns keys and values, of one prefix when asked",
    "storage.close": "close releases the driver",
    "storage.in-memory": "an in-memory driver takes no argument",
    "sqlite.driver": "an embedded SQL driver takes a file path",
    "postgres.driver": "a relational driver takes a connection string",
    "mongodb.standalone":
      "on a standalone server all is right within one process, said once at warn; ifHeld and transaction name the cure",
    "mongodb.driver": "a document driver takes a uri, and perhaps a database and a collection name",
  }),
  ...rulesOf("Sessions and storage (contracts §3)", {
    "session.per-owner": "a session id belongs to its owner: the same id of two users is two sessions",
    "storage.default-bytes":
      "the default storage is bounded in bytes too, and a flood of one caller costs others no session",
    "session.id-form":
      "a session id of a client has 1 to 128 of A-Za-z0-9_.:@- and is neither . nor .., which paths fold",
    "session.bearer":
      "a session without a user is open to callers without a user who know its id, and never a user's later",
    "session.unverified": "an unverified user id never reaches what a verified user of that name has, and the reverse",
    "session.keys": "keys begin with the tenant and the user: - for none, ~ before an unverified id, %2D for an id -",
    "session.list": "a user's sessions are listed by their newest turn, page by page, each once",
    "session.list-cost": "a page of the list reads the sessions of the page, not all",
    "session.list-crash": "a crash at any write leaves each session in the list once, at its old or its new place",
    "lock.exclusion":
      "a lock, a queue and a pool let no more in than they may, forget no one who waits, and are empty when all are gone",
    "lock.pages": "a deletion of many pages stops at the page at which another process has taken the lease over",
    "memory.crash": "a crash at any call leaves messages and facts once, and nothing of what is removed again",
    "session.list-storages":
      "the sessions of several storages are one list; of an id that several have, the first storage's is listed",
    "http.list-sessions": "GET /sessions lists the sessions of the principal alone, newest first, with a cursor",
    "session.title": "a session's title is the beginning of its first message: one line, cut after a word",
    "session.title-model":
      "titles: { model } makes the title by a model after the answer, in a run with a usage of its own",
    "session.title-close":
      "closing an agent or a team, and the shutdown of a service, wait for titles under way and cancel those that take too long",
    "session.title-failure":
      "a title that a model could not make is a run.warning, and the first message stays the title",
    "session.rename": "a title that the user has set is replaced by no other, also when a run is under way",
    "http.rename-session": "PATCH /sessions/:id { title } renames a session of the caller alone",
    "session.delete-turns": "deleteTurns removes the turns from a number on, whose numbers are never used again",
    "session.delete-turns-busy": "turns are not deleted while a run of the session is under way: conflict",
    "session.parts": "data of more than 16 KB is stored in pieces beside its turn, and removed with it",
    "session.parts-crash": "a crash leaves a turn with all its data or none of it, and never with data of another",
    "session.parts-history":
      "data of earlier turns is read again for the turns that a model is sent, and for no others",
    "session.delete-turns-crash": "a crash at any write of a deletion of turns leaves all of them or none",
    "session.delete-crash":
      "a crash at any write of a session's deletion leaves the whole session or a deleted one, which the next deletion or run removes",
    "session.fork-crash":
      "a crash at any write of a fork or of a deletion loses no shared turn, and what it leaves goes with the session",
    "session.delete-turns-memory": "a memory keeps nothing of deleted turns, in its window or its summaries",
    "http.delete-turns": "DELETE /sessions/:id/turns?from=n deletes the turns of a session of the caller alone",
    "run-opts.messages":
      "messages are the history of a run, checked and repaired, and stored with a session's first turn",
    "run-opts.messages-conflict": "messages for a session with turns are a conflict",
    "run-opts.messages-system": "a caller from outside cannot give instructions among the messages",
    "run-opts.messages-workflow": "a workflow refuses messages",
    "http.messages": "the body of a run of an agent or a team may have messages",
    "session.delete-user": "deleteUser removes the sessions, memory and facts of that user alone",
    "run-opts.verified": "RunOpts.verified is true by default; child runs, members and workflow steps inherit it",
    "http.body-user-id": "bodyUserId: trusted takes the userId of a body for the user; unverified is the default",
    "http.anonymous-workflow":
      "an anonymous run of a workflow never runs a step as its agent's configured user or session",
  }),
  ...rulesOf("Memory", {
    "memory.storage-default": "a memory uses in-memory storage by default",
    "memory.max-short-term": "50 messages are kept by default, and more overflow to long-term",
    "memory.long-term-default": "long-term memory is off by default",
    "memory.add-messages": "addMessages stores messages of a session",
    "memory.get-messages": "getMessages returns the messages of a session",
    "memory.get-summaries": "getSummaries returns the summaries",
    "memory.context-string": "getContextString returns the context of a session",
    "memory.clear": "clear removes the messages of a session",
    "memory.by-id":
      "the session id alone means the session of that id, whatever its owner, and only the program reaches it so",
    "memory.seed":
      "messages for a session that nobody has begun wait for its first run of the program, never one of a transport",
    "memory.stand-in": "an object with the five methods of a memory works as the memory of an agent",
    "memory.shared": "agents with different storages may share a memory: it keeps each session beside its turns",
  }),
  ...rulesOf("UserMemory", {
    "user-memory.storage-default": "a user memory uses in-memory storage by default",
    "user-memory.model-default": "extraction falls back to the agent's model",
    "user-memory.max-facts": "100 facts are kept per user by default",
    "user-memory.enabled-default": "extraction is on by default",
    "user-memory.extract-by-hand": "extractAndStore finds facts when asked for by hand although enabled is false",
    "user-memory.stand-in": "an object with the methods of a user memory works as the user memory of an agent",
    "user-memory.shared":
      "agents with different storages may share a user memory: both get the facts that either found",
    "user-memory.get-facts": "getFacts returns a user's facts",
    "user-memory.add-facts": "addFacts stores facts with their source",
    "user-memory.remove-fact": "removeFact removes a fact",
    "user-memory.clear": "clear removes the facts of a user",
    "user-memory.context-string": "getContextString returns the facts as a string",
    "user-memory.extract": "extractAndStore finds facts in messages",
    "user-memory.as-tool": "asTool makes a tool that recalls facts on demand",
    "user-memory.fact": "a fact has an id, a text, a date and the source auto or manual",
  }),
  ...rulesOf("Vector store, embeddings, knowledge base", {
    "vector.upsert": "upsert stores a document, replacing one of the same id",
    "vector.search": "search returns documents with their scores",
    "vector.top-k": "topK limits the results",
    "vector.min-score": "minScore leaves out weaker results",
    "vector.filter": "filter keeps documents by their metadata",
    "vector.get": "get returns a document, or null",
    "vector.delete": "delete removes a document",
    "vector.clear": "clear removes all documents",
    "vector.close": "close releases the store",
    "vector.filter-paths": "a filter's name with dots is that of a field, or the way to one within objects",
    "vector.no-operators": "a filter with operators is refused, and so is undefined",
    "vector.write": "write removes and stores documents in one step: all of it or nothing",
    "vector.size": "content of more than 8 MB and a NUL character are refused by every store",
    "vector.model": "a collection remembers the name of its embedding model until it is cleared",
    "vector.in-memory": "an in-memory vector store exists",
    "sqlite.vector-store": "an embedded vector store keeps its documents in an SQLite file, and searches exactly",
    "sqlite.vector-store-scan":
      "without the extension sqlite-vec a search runs in JavaScript with the same results, said once at warn",
    "sqlite.vector-store-processes":
      "many processes share the file: each document is kept, and one of them decides the length of vectors",
    "sqlite.vector-store-kill": "a process that is killed leaves all of a change or nothing of it",
    "sqlite.vector-store-faults":
      "a damaged, missing, full or foreign file is an error that says how to mend it, with nothing half written",
    "embedding.embed": "embed returns the vector of a string",
    "embedding.batch": "embedBatch returns one vector per string",
    "embedding.model-id": "each of our embedding providers tells the name of its model",
    "knowledge.config": "a knowledge base has a name, a vector store and perhaps a collection",
    "knowledge.initialize": "initialize prepares the store",
    "knowledge.add": "add stores a document",
    "knowledge.add-documents": "addDocuments stores several documents",
    "knowledge.search": "search finds documents",
    "knowledge.get": "get returns a document",
    "knowledge.delete": "delete removes a document",
    "knowledge.clear": "clear removes all documents",
    "knowledge.close": "close closes the store too, unless ownsStore is false",
    "knowledge.as-tool": "asTool makes a tool that searches on demand, and tells where each piece is from",
    "knowledge.chunking":
      "a document of more than 2,000 tokens is split at the ends of paragraphs and sentences, and each piece tells where it is from",
    "knowledge.chunking-function": "a function of one's own may split documents; what it leaves out is an error",
    "knowledge.replace": "a document that is added again takes the place of its old pieces in one step",
    "knowledge.crash": "a document that a crash has cut short is whole once it is added or deleted again",
    "knowledge.whole-documents": "get returns a split document whole, and delete removes all of its pieces",
    "knowledge.piece-ids": "a document and a piece of another one never replace each other",
    "knowledge.batches": "the pieces of many documents are embedded in full batches",
    "knowledge.model": "a collection with vectors of another embedding model is refused",
    "knowledge.rerank": "rerank orders the results of a search for a text, and adds none",
    "knowledge.docs": "an agent finds the right page of this repository's docs for each of ten questions",
    "knowledge.bad-input": "a document or search that is refused, and a store that is down, leave nothing half done",
    "openai.embeddings": "openaiEmbeddings({ apiKey?, model? }) makes an embedding provider",
    "openai.embeddings-default": "openaiEmbeddings uses text-embedding-3-small by default",
    "google.embeddings": "googleEmbeddings({ apiKey?, model? }) makes an embedding provider",
    "google.embeddings-default": "googleEmbeddings uses text-embedding-004 by default",
  }),
  ...rulesOf("Vector store in PostgreSQL", {
    "pgvector.store": "a vector store in PostgreSQL keeps the contract of vector stores, a table for each collection",
    "pgvector.options": "an option without effect, or that PostgreSQL could not take, is refused at construction",
    "pgvector.recall": "a search finds 95 % of the nearest through the index, and topK where as many match a filter",
    "pgvector.few":
      "a search compares all of at most 1,000 documents, or 5,000 that match a filter: exact, with ties by id",
    "pgvector.transaction": "settings of a search or change end with its transaction, as behind PgBouncer they must",
    "pgvector.dimensions":
      "2,000 dimensions are indexed as vector, 4,000 as halfvec with a ranking by full precision, 16,000 searched exactly",
    "pgvector.data": "ids, contents, metadata, filters and names of collections are never part of a statement's text",
    "pgvector.extension":
      "the extension is created where that is allowed, else the error names the statement; before 0.8 it is refused",
    "pgvector.processes": "many processes may initialize at once, and one decides the length of a collection's vectors",
    "pgvector.write": "a change whose connection is lost leaves nothing behind",
  }),
  ...rulesOf("Vector store in Qdrant", {
    "qdrant.store": "a dedicated vector-database store exists, with a collection in Qdrant for each collection",
    "qdrant.created-once": "processes that create a collection in Qdrant at the same time create one",
    "qdrant.dimensions": "of two processes that begin a collection with other dimensions one is refused",
    "qdrant.model": "of two embedding models that processes tell a Qdrant store at once the first is remembered",
    "qdrant.ids": "a point's id is a UUID of the document's id, which is kept in the payload",
    "qdrant.exact": "get returns a vector's 32-bit floats exactly, of any length",
    "qdrant.top-k": "a search in Qdrant finds topK documents where as many match",
    "qdrant.ties": "a tie at the last place is decided by the bytes of the ids",
    "qdrant.readers":
      "a change of a Qdrant store removes old documents when all new ones are there, so that a reader misses none",
    "qdrant.requests": "a large change of a Qdrant store is made in requests that the server takes",
    "qdrant.hostile": "hostile ids, names and values touch exactly equal documents in Qdrant",
    "qdrant.tenants": "tenants with near-equal names never find each other's documents in Qdrant",
    "qdrant.recall": "a Qdrant store finds at least 95 % of the nearest documents at its defaults",
    "qdrant.outage": "without its server a Qdrant store fails as storage_unavailable, and works when it is back",
    "qdrant.timeout": "a Qdrant server that does not answer is given up after timeoutMs",
    "qdrant.key": "the API key of Qdrant is in no error",
    "qdrant.quiet": "Qdrant's library writes nothing to the console",
  }),
  ...rulesOf("Vector store in MongoDB", {
    "mongodb.vector-store":
      "a vector store in MongoDB keeps the contract of vector stores, also on a standalone server",
    "mongodb.vector-options": "the database is that of the uri by default, and names are checked at construction",
    "mongodb.vector-search":
      "the kind of search is chosen once and logged, and one that the deployment does not have is refused",
    "mongodb.vector-recall": "a search that compares all documents finds all of the nearest, with and without a filter",
    "mongodb.vector-index":
      "through MongoDB Vector Search the contract holds, with one index for each length of vectors; without it all is compared",
    "mongodb.vector-late-index":
      "a search finds what was written before it, and topK where as many match, however late the index is",
    "mongodb.vector-exact": "vectors of any length and many dimensions are kept exactly, and scored right",
    "mongodb.vector-strings":
      "ids, contents, metadata and filters of 5,000 hostile strings touch equal documents alone",
    "mongodb.vector-tenants":
      "tenants in collections of their own, or behind a filter, never see each other's documents",
    "mongodb.vector-dimensions": "of several processes that begin a collection, one decides the length of its vectors",
    "mongodb.vector-write": "a change during which the server is killed is made as a whole or not at all",
    "mongodb.vector-clear": "clear leaves no document of a collection in the database",
    "mongodb.vector-size": "a change of 60 MB, and documents of the largest size, are stored",
    "mongodb.vector-standalone":
      "on a standalone server a change stores before it removes, and a warning says that it is not one step",
    "mongodb.vector-unavailable": "a server that is down is storage_unavailable, and no error shows credentials",
  }),
];
