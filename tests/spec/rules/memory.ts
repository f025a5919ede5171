import { rulesOf } from "../rule.ts";

/** Memory, facts about users, knowledge bases. */
export const memoryRules = rulesOf("@troupe/core", {
  "memory.storage-default": {
    text: "a memory's storage is in memory by default",
    test: "packages/core/src/memory/memory.test.ts",
  },
  "memory.max-short-term": {
    text: "50 messages are kept by default, and more overflow to long-term",
    test: "packages/core/src/memory/memory.test.ts",
  },
  "memory.long-term-default": {
    text: "long-term memory is off by default",
    test: "packages/core/src/memory/memory.test.ts",
  },
  "memory.add-messages": {
    text: "addMessages stores messages of a session",
    test: "packages/core/src/memory/memory.test.ts",
  },
  "memory.get-messages": { text: "getMessages returns them", test: "packages/core/src/memory/memory.test.ts" },
  "memory.get-summaries": {
    text: "getSummaries returns the summaries",
    test: "packages/core/src/memory/memory-long-term.test.ts",
  },
  "memory.context-string": {
    text: "getContextString returns the context of a session",
    test: "packages/core/src/memory/memory-long-term.test.ts",
  },
  "memory.clear": { text: "clear forgets a session", test: "packages/core/src/memory/memory.test.ts" },
  "user-memory.storage-default": {
    text: "a user memory's storage is in memory by default",
    test: "packages/core/src/memory/user-memory.test.ts",
  },
  "user-memory.model-default": {
    text: "extraction falls back to the agent's model",
    test: "packages/core/src/memory/user-memory.test.ts",
  },
  "user-memory.max-facts": {
    text: "100 facts are kept per user by default",
    test: "packages/core/src/memory/user-memory.test.ts",
  },
  "user-memory.enabled-default": {
    text: "extraction is on by default",
    test: "packages/core/src/memory/user-memory.test.ts",
  },
  "user-memory.get-facts": {
    text: "getFacts returns a user's facts",
    test: "packages/core/src/memory/user-memory.test.ts",
  },
  "user-memory.add-facts": {
    text: "addFacts stores facts with their source",
    test: "packages/core/src/memory/user-memory.test.ts",
  },
  "user-memory.remove-fact": { text: "removeFact removes one", test: "packages/core/src/memory/user-memory.test.ts" },
  "user-memory.clear": { text: "clear forgets a user", test: "packages/core/src/memory/user-memory.test.ts" },
  "user-memory.context-string": {
    text: "getContextString returns the facts as text",
    test: "packages/core/src/memory/user-memory.test.ts",
  },
  "user-memory.extract": {
    text: "extractAndStore finds facts in messages",
    test: "packages/core/src/memory/user-memory.test.ts",
  },
  "user-memory.as-tool": {
    text: "asTool recalls facts on demand",
    test: "packages/core/src/memory/recall-tool.test.ts",
  },
  "user-memory.fact": {
    text: "a fact has an id, text, a date and a source of auto or manual",
    test: "packages/core/src/memory/user-memory.test.ts",
  },
  "knowledge.config": {
    text: "a knowledge base has a name, a vector store and perhaps a collection",
    test: "packages/core/src/knowledge/knowledge-base.test.ts",
  },
  "knowledge.initialize": {
    text: "initialize prepares the store",
    test: "packages/core/src/knowledge/knowledge-base.test.ts",
  },
  "knowledge.add": { text: "add stores one document", test: "packages/core/src/knowledge/knowledge-base.test.ts" },
  "knowledge.add-documents": {
    text: "addDocuments stores several",
    test: "packages/core/src/knowledge/knowledge-base.test.ts",
  },
  "knowledge.search": { text: "search finds documents", test: "packages/core/src/knowledge/knowledge-base.test.ts" },
  "knowledge.get": { text: "get returns one", test: "packages/core/src/knowledge/knowledge-base.test.ts" },
  "knowledge.delete": { text: "delete removes one", test: "packages/core/src/knowledge/knowledge-base.test.ts" },
  "knowledge.clear": { text: "clear removes all", test: "packages/core/src/knowledge/knowledge-base.test.ts" },
  "knowledge.close": { text: "close releases the store", test: "packages/core/src/knowledge/knowledge-base.test.ts" },
  "knowledge.as-tool": { text: "asTool searches on demand", test: "packages/core/src/knowledge/search-tool.test.ts" },
});
