import type { Group } from "./navigation.ts";

type SiteFacts = {
  readonly base: string;
  readonly sentence: string;
  readonly repository: string;
  readonly guide: readonly Group[];
  readonly groups: readonly Group[];
};

/** The icon of the site, the same as the icon of @troupe/page: three masks of a troupe, as overlapping circles. */
const icon =
  '<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 32 32"><circle cx="16" cy="11" r="8" fill="#7c5cff"/>' +
  '<circle cx="10.5" cy="20.5" r="8" fill="#ff6b57" fill-opacity=".9"/>' +
  '<circle cx="21.5" cy="20.5" r="8" fill="#f5b83d" fill-opacity=".88"/></svg>';

/**
 * Returns the configuration of VitePress. It contains only data, so that it can be written into the folder of the
 * content.
 */
export function siteConfig({ base, sentence, repository, guide, groups }: SiteFacts) {
  const sidebar = groups.map(({ title, entries }) => ({
    text: title,
    collapsed: !guide.some((group) => group.title === title),
    items: entries.map((entry) => ({ text: entry.title, link: `/${entry.path}` })),
  }));
  return {
    title: "Troupe",
    description: sentence,
    base,
    lang: "en",
    head: [["link", { rel: "icon", href: `data:image/svg+xml,${encodeURIComponent(icon)}` }]],
    cleanUrls: false,
    // The pages contain only Markdown: text that looks like an HTML element is shown as text.
    markdown: {
      html: false,
      theme: { light: "github-light-high-contrast", dark: "github-dark-high-contrast" },
    },
    themeConfig: {
      nav: [
        { text: "Guide", link: "/guide/", activeMatch: "/guide/" },
        { text: "Recipes", link: "/recipes/", activeMatch: "/recipes/" },
        { text: "Options", link: "/reference/core", activeMatch: "/reference/" },
        { text: "Decisions", link: "/decisions/", activeMatch: "/decisions/" },
      ],
      sidebar,
      outline: { level: [2, 3] },
      socialLinks: [{ icon: "github", link: repository }],
      // The search index is a file of the site, so a search sends no request to another server.
      search: { provider: "local" },
    },
  };
}
