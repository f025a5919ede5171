import type { VertexOptions } from "./vertex-options.ts";

/** Regions that span several places have addresses of another form. */
const wideRegions = ["us", "eu"];

/** The address of the interface, with its version and the project whose models are asked. */
export function addressOf(modelId: string, { project, location, baseURL }: VertexOptions): string {
  const origin = (baseURL ?? originOf(location)).replace(/\/+$/, "");
  // A model of a project's own is named with its project.
  const isNamed = project === undefined || modelId.startsWith("projects/");
  return `${origin}/v1beta1${isNamed ? "" : `/projects/${project}/locations/${location}`}`;
}

function originOf(location = "global"): string {
  if (location === "global") return "https://aiplatform.googleapis.com";
  if (wideRegions.includes(location)) return `https://aiplatform.${location}.rep.googleapis.com`;
  return `https://${location}-aiplatform.googleapis.com`;
}
