// The documentation page's script, assembled from the sources of its parts.
import { accountScript } from './account-script.ts';
import { contentsScript } from './contents-script.ts';
import { pageTools } from './page-tools.ts';
import { samplesScript } from './samples-script.ts';
import { tryScript } from './try-script.ts';

export const docsScript = [
  '{',
  `const tools = (${pageTools.toString()})();`,
  `(${contentsScript.toString()})(tools);`,
  `(${samplesScript.toString()})(tools);`,
  `const account = (${accountScript.toString()})(tools);`,
  `(${tryScript.toString()})(tools, account);`,
  '}',
].join('\n');
