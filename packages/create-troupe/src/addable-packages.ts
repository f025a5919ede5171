/** A package that can be added to a project. */
export interface AddablePackage {
  /** Libraries that a project needs to use the package. */
  readonly libraries?: readonly string[];
  /** The two lines of code with which a program begins to use the package. */
  readonly lines: readonly [imported: string, used: string];
}

const provider = (name: string, create: string, model: string): AddablePackage => ({
  lines: [`import { ${create} } from "@troupe/${name}";`, `export const model = ${create}(${model});`],
});

const storage = (name: string, type: string, address: string): AddablePackage => ({
  lines: [`import { ${type} } from "@troupe/${name}";`, `const storage = new ${type}(${address});`],
});

const store = (name: string, type: string, address: string): AddablePackage => ({
  lines: [`import { ${type} } from "@troupe/${name}";`, `const vectorStore = new ${type}(${address});`],
});

const toolkit = (name: string, type: string, options: string): AddablePackage => ({
  lines: [`import { ${type} } from "@troupe/${name}";`, `const tools = [new ${type}(${options})];`],
});

const protocol = (name: string, create: string): AddablePackage => ({
  lines: [`import { ${create} } from "@troupe/${name}";`, `const protocols = [http(), ${create}()];`],
});

/** Every package that can be added, by the last part of its name. */
export const addablePackages: Readonly<Record<string, AddablePackage>> = {
  a2a: protocol("a2a", "a2a"),
  "ag-ui": protocol("ag-ui", "agUi"),
  client: {
    lines: [
      'import { createClient } from "@troupe/client";',
      'const client = createClient<typeof service>({ baseUrl: "http://localhost:3000" });',
    ],
  },
  "engine-bullmq": {
    libraries: ["pg"],
    lines: [
      'import { BullMqEngine } from "@troupe/engine-bullmq";',
      'const engine = new BullMqEngine({ connectionString: process.env["DATABASE_URL"] ?? "" });',
    ],
  },
  http: {
    lines: ['import { http } from "@troupe/http";', "const { url } = await serve(service, [http()]);"],
  },
  mcp: protocol("mcp", "mcp"),
  "openai-api": protocol("openai-api", "openaiApi"),
  otel: {
    libraries: ["@opentelemetry/api"],
    lines: [
      'import { createTelemetry } from "@troupe/otel";',
      "const service = createService({ agents, telemetry: createTelemetry() });",
    ],
  },
  page: protocol("page", "page"),
  "providers-ai-sdk": provider("providers-ai-sdk", "fromAiSdk", 'mistral("mistral-large-latest")'),
  "providers-anthropic": provider("providers-anthropic", "anthropic", '"claude-opus-5-5"'),
  "providers-bedrock": provider("providers-bedrock", "bedrock", '"us.amazon.nova-pro-v1:0", { region: "us-east-1" }'),
  "providers-google": provider("providers-google", "google", '"gemini-3.8-flash"'),
  "providers-ollama": provider("providers-ollama", "ollama", '"qwen3:8b"'),
  "providers-openai": provider("providers-openai", "openai", '"gpt-6.1-sol"'),
  "providers-vertex": provider("providers-vertex", "vertex", '"gemini-3.8-flash", { project: "my-project" }'),
  readers: {
    libraries: ["mammoth", "parse5", "unpdf"],
    lines: ['import { readFolder } from "@troupe/readers";', 'await knowledge.sync(readFolder("handbook"));'],
  },
  socket: {
    libraries: ["socket.io"],
    lines: [
      'import { createAgentGateway } from "@troupe/socket";',
      "createAgentGateway({ service, io: new Server(server) });",
    ],
  },
  "storage-mongodb": storage("storage-mongodb", "MongoStorage", 'process.env["MONGODB_URL"] ?? ""'),
  "storage-postgres": storage("storage-postgres", "PostgresStorage", 'process.env["DATABASE_URL"] ?? ""'),
  "storage-sqlite": storage("storage-sqlite", "SqliteStorage", '"agents.db"'),
  "toolkits-duckduckgo": toolkit("toolkits-duckduckgo", "DuckDuckGoToolkit", ""),
  "toolkits-gmail": toolkit("toolkits-gmail", "GmailToolkit", '{ allowedRecipients: ["@example.com"] }'),
  "toolkits-hackernews": toolkit("toolkits-hackernews", "HackerNewsToolkit", ""),
  "toolkits-web-search": toolkit("toolkits-web-search", "WebSearchToolkit", '{ provider: "tavily" }'),
  "toolkits-whatsapp": toolkit("toolkits-whatsapp", "WhatsAppToolkit", ""),
  "use-chat": protocol("use-chat", "chatStream"),
  "vector-mongodb": store("vector-mongodb", "MongoDbVectorStore", 'process.env["MONGODB_URL"] ?? "", { embeddings }'),
  "vector-pgvector": store("vector-pgvector", "PgVectorStore", 'process.env["DATABASE_URL"] ?? "", { embeddings }'),
  "vector-qdrant": store("vector-qdrant", "QdrantVectorStore", '{ url: "http://127.0.0.1:6333", embeddings }'),
  "vector-sqlite": store("vector-sqlite", "SqliteVectorStore", '"knowledge.db", { embeddings }'),
};
