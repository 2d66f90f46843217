import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { findBrowser, NO_BROWSER } from '../../../test/support/browser.ts';
import { conforms, rewrite } from '../../test/conform.ts';
import { type ConsoleSite, openSite } from '../../test/site.ts';

const executable = await findBrowser();
if (executable === undefined) console.warn(NO_BROWSER);

describe.skipIf(executable === undefined)('scripts in the console', () => {
  let site: ConsoleSite;
  beforeAll(async () => {
    site = await openSite(executable ?? NO_BROWSER);
  });
  afterAll(() => site?.[Symbol.asyncDispose]());

  it('look as every page does, in a list and one by one', async () => {
    await conforms(site, { path: '/scripts' }, { en: 'Scripts', de: 'Skripte' });
    await conforms(site, { path: '/scripts?tab=hooks' }, { en: 'Scripts', de: 'Skripte' });
    await conforms(site, { path: '/scripts?tab=endpoints' }, { en: 'Scripts', de: 'Skripte' });
    await conforms(site, { path: '/scripts/endpoint/echo' }, { en: 'echo', de: 'echo' });
    const one = 'ui/onCreate-user-set-default-fields.js';
    await conforms(site, { path: `/scripts/file/${one}` }, { en: one, de: one });
  });

  it('answer as endpoints, which are asked, and rehearsed before they change anything', async () => {
    const source = `if (request.method === 'read') ({ seen: request.resourcePath });
      else svc.patch('managed/user/avo', null, [{ operation: 'replace', field: '/city', value: request.content.city }]);`;
    const body = { type: 'text/javascript', source, _methods: ['read', 'action'] };
    await site.server.api('PUT', 'config/endpoint/town', { body });
    const visitor = await site.open({ path: '/scripts?tab=endpoints' });
    const { page } = visitor;
    await page.getByRole('row', { name: /town/ }).click();
    await page.getByRole('heading', { level: 1, name: 'town' }).waitFor();
    await page.getByRole('textbox', { name: 'Path below it' }).fill('old');
    await page.getByRole('button', { name: 'Ask' }).click();
    const answer = page.getByRole('region', { name: 'Answer' });
    await answer.getByText('"seen": "old"').waitFor();
    await page.getByRole('combobox', { name: 'Request' }).selectOption('action');
    await page.getByRole('textbox', { name: 'Parameters' }).fill('_action=move');
    await page.getByRole('textbox', { name: 'Body, as JSON' }).fill('{"city": "Thun"}');
    await page.getByRole('button', { name: 'Review' }).click();
    await page.getByText('Nothing has been written yet').waitFor();
    const review = page.getByRole('dialog', { name: 'POST endpoint/town' });
    await review.getByText('/city').first().waitFor();
    expect((await site.server.api('GET', 'managed/user/avo')).body.city).not.toBe('Thun');
    await review.getByRole('button', { name: 'Apply' }).click();
    await answer.getByText('"Thun"').waitFor();
    expect((await site.server.api('GET', 'managed/user/avo')).body.city).toBe('Thun');
    expect(visitor.problems).toEqual([]);
    await visitor.close();
  });

  it('are found by their hook, and told what they are run as and who uses them', async () => {
    const visitor = await site.open({ path: '/scripts?tab=hooks' });
    const { page } = visitor;
    await page.getByRole('link', { name: 'roles/onDelete-roles.js' }).click();
    await page.getByRole('heading', { level: 1, name: 'roles/onDelete-roles.js' }).waitFor();
    await page.getByText('/objects/1/onDelete/file').waitFor();
    expect(await page.getByRole('combobox', { name: 'Run as' }).inputValue()).toBe('onDelete');
    expect(visitor.problems).toEqual([]);
    await visitor.close();
  });

  it('are completed and told at their line what is wrong, rehearsed with a real object, and saved', async () => {
    const visitor = await site.open({ path: '/scripts' });
    const { page } = visitor;
    await page.getByRole('button', { name: 'New script' }).click();
    await page.getByRole('textbox', { name: 'Path' }).fill('lib/city.js');
    await page.getByRole('button', { name: 'Write it' }).click();
    const editor = page.getByRole('textbox', { name: 'lib/city.js' });
    await editor.click();
    await page.keyboard.type('svc.rea');
    await page.getByRole('option', { name: /^read/ }).waitFor();
    await rewrite(editor, 'svc.reed("managed/user/avo")');
    await page.getByRole('list', { name: /wrong/ }).getByText("svc has no 'reed'").waitFor();
    await rewrite(
      editor,
      'console.log("moving");\nsvc.patch("managed/user/" + object._id, null, [{ operation: "replace", field: "/city", value: "Rome" }]).city',
    );
    await page.getByRole('combobox', { name: 'Run as' }).selectOption('onUpdate');
    await page.getByText('It compiles.').waitFor();
    await page.getByRole('textbox', { name: 'Variables, as JSON' }).fill('{"object": {"_id": "avo"}}');
    await editor.focus();
    await page.keyboard.press('Control+Enter');
    const result = page.getByRole('region', { name: 'Result' });
    await result.getByText('"Rome"').first().waitFor();
    await result.getByText('/city').first().waitFor();
    expect((await site.server.api('GET', 'managed/user/avo')).body.city).not.toBe('Rome');
    await editor.focus();
    await page.keyboard.press('Control+s');
    await page.getByText('Nothing has been written yet').waitFor();
    await page.getByRole('button', { name: 'Apply' }).click();
    await page.getByText('lib/city.js is saved').waitFor();
    expect((await site.server.api('GET', 'script/file/lib/city.js')).body.content).toContain('Rome');
    expect(visitor.problems).toEqual([]);
    await visitor.close();
  });

  it('have in a rehearsal what the hook has, and tell what they make of the object', async () => {
    const path = '/scripts/file/lib/towns.js?use=onUpdate&type=user&with=bkim';
    const visitor = await site.open({ path });
    const { page } = visitor;
    await page.getByText('There is no such file yet').waitFor();
    await expect
      .poll(() => page.getByRole('textbox', { name: 'Variables, as JSON' }).inputValue())
      .toContain('"newObject"');
    await rewrite(
      page.getByRole('textbox', { name: 'lib/towns.js' }),
      "object.city = newObject.userName + ' in Bern'",
    );
    await page.getByRole('button', { name: 'Rehearse' }).first().click();
    const result = page.getByRole('region', { name: 'Result' });
    await result.getByRole('row', { name: /\/object\/city.*bkim in Bern/ }).waitFor();
    expect(await result.getByText('Nothing would change').count()).toBe(0);
    expect((await site.server.api('GET', 'managed/user/bkim')).body.city).not.toBe('bkim in Bern');
    expect(visitor.problems).toEqual([]);
    await visitor.close();
  });

  it('stand there as they were saved, with nothing left to save', async () => {
    const one = 'ui/onCreate-user-set-default-fields.js';
    const visitor = await site.open({ path: `/scripts/file/${one}` });
    const { page } = visitor;
    const editor = page.getByRole('textbox', { name: one });
    const review = page.getByRole('button', { name: 'Review', exact: false }).first();
    for (const text of ['// the first of two', '// the second of two']) {
      await rewrite(editor, text);
      await review.click();
      await page.getByText('Nothing has been written yet').waitFor();
      await page.getByRole('button', { name: 'Apply' }).click();
      await page.getByText(`${one} is saved`).last().waitFor();
      await expect.poll(() => review.isDisabled()).toBe(true);
      await expect.poll(() => editor.innerText()).toBe(text);
      expect((await site.server.api('GET', `script/file/${one}`)).body.content).toBe(text);
    }
    expect(visitor.problems).toEqual([]);
    await visitor.close();
  });

  it('tell of a rehearsal that fails its line, and what was said before', async () => {
    const visitor = await site.open({ path: '/scripts/file/lib/fails.js' });
    const { page } = visitor;
    await page
      .getByRole('textbox', { name: 'lib/fails.js' })
      .fill('console.log("so far");\nvar person = null;\nperson.mail');
    await page.getByRole('button', { name: 'Rehearse' }).first().click();
    await page.getByRole('alert').getByText("cannot read property 'mail' of null").waitFor();
    await page.getByText('so far').last().waitFor();
    await page.getByRole('list', { name: /wrong/ }).getByText(/^3:/).waitFor();
    expect(visitor.problems).toEqual([]);
    await visitor.close();
  });

  it('show what somebody else has saved meanwhile beside what was written, and go on with that', async () => {
    const save = (content: string) =>
      site.server.api('PUT', 'script/file/lib/shared.js', { body: { content } });
    await save('exports.word = 1;');
    const visitor = await site.openDeaf({ path: '/scripts/file/lib/shared.js' });
    const { page } = visitor;
    await page.getByRole('textbox', { name: 'lib/shared.js' }).fill('exports.word = 3;');
    await save('exports.word = 2;');
    await page.getByRole('button', { name: 'Review' }).click();
    const conflict = page.getByRole('dialog', { name: 'Somebody else was faster' });
    await conflict.getByText('exports.word = 2;').waitFor();
    await conflict.getByRole('button', { name: 'Go on with mine' }).click();
    await page.getByText('Nothing has been written yet').waitFor();
    await page.getByRole('button', { name: 'Apply' }).click();
    await page.getByText('lib/shared.js is saved').waitFor();
    expect((await site.server.api('GET', 'script/file/lib/shared.js')).body.content).toBe(
      'exports.word = 3;',
    );
    expect(visitor.problems).toEqual([]);
    await visitor.close();
  });

  it('are for those who may run them, and say so to others', async () => {
    const visitor = await site.open({ user: 'avo', path: '/scripts' });
    await visitor.page.getByRole('alert').first().waitFor();
    await expect.poll(() => visitor.page.getByRole('link', { name: 'Scripts' }).count()).toBe(0);
    expect(visitor.problems).toEqual([]);
    await visitor.close();
  });
});
