export { generateAgentCard, generateMultiAgentCard } from "./card/agent-card.ts";
export type { AgentCard, AgentProvider, AgentSkill, DescribedAgent } from "./card/agent-card.ts";
export type { A2AExtendedCard, CardContent } from "./card/extended-card.ts";
export type { OAuthFlows, SecurityScheme } from "./card/security-schemes.ts";
export { createA2AServer } from "./create-a2a-server.ts";
export type { A2ARunOptions, A2AServerOptions, A2AShutdown } from "./server/a2a-server-options.ts";
