import assert from "node:assert/strict";

const url = "http://127.0.0.1:9/mcp";
const asked: (string | undefined)[] = [];
const tokenOf = (userId: string | undefined): string => {
  asked.push(userId);
  return "token";
};

// #region readme
import { McpToolServer } from "@troupe/mcp";

const wiki = new McpToolServer({
  name: "wiki",
  transport: "http",
  url,
  headers: (context) => ({ authorization: `Bearer ${tokenOf(context?.userId)}` }),
});
// #endregion

// Nothing is asked or opened before a run needs it.
await wiki.close();
assert.deepEqual(asked, []);
