// Actions on the documentation page, for the checks in a browser.
import { admin } from './service.ts';
import type { Tab } from './browser.ts';

/** The focused element after each of so many presses of Tab. */
export async function focused(tab: Tab, presses: number): Promise<string[]> {
  const names: string[] = [];
  for (let index = 0; index < presses; index += 1) {
    await tab.press('Tab');
    names.push(await tab.evaluate(`(${nameOf})(document.activeElement)`));
  }
  return names;
}

/** Runs in the page. */
const nameOf = String.raw`({ localName, id, className, attributes }) => {
  if (id !== '') return localName + '#' + id;
  if (className !== '') return localName + '.' + className;
  return localName + '[href="' + attributes.href?.value + '"]';
}`;

export async function fill(tab: Tab, id: string, text: string): Promise<void> {
  await tab.evaluate(
    `(() => {
      const field = document.getElementById(${JSON.stringify(id)});
      field.focus();
      if (field.select) field.select();
      else field.value = ${JSON.stringify(text)};
    })()`,
  );
  if (text === '') await tab.evaluate('document.activeElement.value = ""');
  else await tab.type(text);
}

/** Signing out succeeds, too, so success doesn't mean that one is signed in. */
export const isSignedIn = 'document.querySelector("#who").textContent !== ""';

export async function signIn(tab: Tab, password: string, email = admin.email): Promise<void> {
  await fill(tab, 'email', email);
  await fill(tab, 'password', password);
  await tab.press('Enter');
}

/** Fills in an operation's form and sends it. */
export async function outcome(
  tab: Tab,
  operation: string,
  fields: Readonly<Record<string, string>> = {},
): Promise<string> {
  const form = `document.querySelector("#${operation} form")`;
  await tab.evaluate(`document.querySelector("#${operation} .try").open = true`);
  await tab.until(form);
  for (const [name, text] of Object.entries(fields)) await fill(tab, `${operation}-${name}`, text);
  await tab.evaluate(
    `${form}.querySelector(".outcome").textContent = ""; ${form}.querySelector("button").focus()`,
  );
  await tab.press('Enter');
  await tab.until(`${form}.querySelector(".outcome").textContent !== ""`);
  return tab.evaluate(`${form}.querySelector(".outcome").textContent`);
}
