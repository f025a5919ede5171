export { takeBreaches } from "./breaches.ts";
export { watchFetches } from "./fetch-watch.ts";
export { McpGrammar } from "./mcp-stream.ts";
export type { McpMessage } from "./mcp-stream.ts";
export { framesIn } from "./sse-frames.ts";
export { breachesOf, runReader, uiReader } from "./stream-reader.ts";
export type { FrameReader } from "./stream-reader.ts";
export { watchSocket, watchTransport } from "./watch-clients.ts";
