/**
 * Libraries that each published package may install in addition to core, at run time or as a peer. An entry here is a
 * decision: every name is one more author whom the users of the package must trust.
 */
export const allowedDependencies: Readonly<Record<string, readonly string[]>> = {
  "@troupe/core": ["undici"],
  "@troupe/providers-openai": ["openai"],
  "@troupe/providers-anthropic": ["@anthropic-ai/sdk"],
  "@troupe/providers-google": ["@google/genai"],
  "@troupe/providers-vertex": ["@google/genai", "google-auth-library"],
  "@troupe/providers-ollama": ["ollama"],
  // The credential chain of AWS, an optional peer: signatures and frames need no library.
  "@troupe/providers-bedrock": ["@aws-sdk/credential-providers"],
  // The packages of the AI SDK are the user's: their models are described by the members that are read.
  "@troupe/providers-ai-sdk": [],
  "@troupe/storage-sqlite": ["kysely"],
  "@troupe/storage-postgres": ["kysely", "pg"],
  "@troupe/storage-mongodb": ["mongodb"],
  "@troupe/vector-sqlite": ["sqlite-vec"],
  "@troupe/vector-pgvector": ["pg", "pgvector"],
  "@troupe/vector-qdrant": ["@qdrant/js-client-rest"],
  "@troupe/vector-mongodb": ["mongodb"],
  // The driver for the configured database, PostgreSQL or Redis, is an optional peer.
  "@troupe/engine-bullmq": ["bullmq", "ioredis", "pg"],
  // The API alone, as a peer: the host brings the SDK.
  "@troupe/otel": ["@opentelemetry/api"],
  "@troupe/toolkits-duckduckgo": [],
  "@troupe/toolkits-hackernews": [],
  "@troupe/toolkits-web-search": [],
  "@troupe/toolkits-gmail": [],
  "@troupe/toolkits-whatsapp": [],
  // The types of Express are an optional peer: they appear in the declarations, which only TypeScript programs read.
  "@troupe/http": ["@types/express", "busboy", "express"],
  "@troupe/use-chat": [],
  "@troupe/openai-api": [],
  // The hook is for programs that have React.
  "@troupe/client": ["react"],
  "@troupe/ag-ui": [],
  "@troupe/socket": ["socket.io"],
  "@troupe/a2a": ["@types/express", "express"],
  "@troupe/page": [],
  // The parsers of DOCX, HTML and PDF are optional peers: a program installs those of the formats that it reads.
  "@troupe/readers": ["mammoth", "parse5", "unpdf"],
  "create-troupe": [],
  "@troupe/mcp": ["@modelcontextprotocol/client", "@modelcontextprotocol/server"],
};
