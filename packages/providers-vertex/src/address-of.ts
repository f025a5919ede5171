import type { VertexOptions } from "./vertex-options.ts";

/** Multi-regions, whose addresses have another form. */
const wideRegions = ["us", "eu"];

/**
 * Returns the URL of the Vertex API with its version, at the location or the given address, and with project and
 * location unless the model's id names its project.
 */
export function addressOf(modelId: string, { project, location, baseURL }: VertexOptions): string {
  const origin = (baseURL ?? originOf(location)).replace(/\/+$/, "");
  // The name of a project's own model holds the project.
  const isNamed = project === undefined || modelId.startsWith("projects/");
  return `${origin}/v1beta1${isNamed ? "" : `/projects/${project}/locations/${location}`}`;
}

function originOf(location = "global"): string {
  if (location === "global") return "https://aiplatform.googleapis.com";
  if (wideRegions.includes(location)) return `https://aiplatform.${location}.rep.googleapis.com`;
  return `https://${location}-aiplatform.googleapis.com`;
}
