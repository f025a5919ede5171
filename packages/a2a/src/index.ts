export { generateAgentCard, generateMultiAgentCard } from "./card/agent-card.ts";
export type { AgentCard, AgentProvider, AgentSkill, DescribedAgent } from "./card/agent-card.ts";
export type { OAuthFlows, SecurityScheme } from "./card/security-schemes.ts";
