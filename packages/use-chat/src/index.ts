export { chatStream } from "./chat-stream.ts";
export type { ChatFileLimits, ChatStreamOptions } from "./chat-stream.ts";
