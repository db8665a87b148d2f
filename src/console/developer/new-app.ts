import type { NewApp } from '../../domain/apps/apps.ts'
import { byAccount } from '../../domain/audit/audit.ts'
import { InputError } from '../../domain/input-error.ts'
import type { ConsoleDeps } from '../deps.ts'
import { form, text } from '../fields.ts'
import type { PageScope } from '../page-scope.ts'
import { sendHtml } from '../send-html.ts'
import { fromOf } from '../sign-in/signed-in.ts'
import { secretPage, sentAlreadyPage } from './app/secrets.view.ts'
import { profileFields, profileOf } from './form.ts'
import { type AppForm, emptyForm, newAppPage } from './form.view.ts'

/** A form that creates an app, and answers with its secret. */
export function newApp(scope: PageScope, { apps, singleUseForms, sandbox }: ConsoleDeps): void {
  const path = '/developer/apps/new'

  scope.get(path, async ({ viewer }, reply) => sendHtml(reply, newAppPage({ form: emptyForm, viewer })))

  const body = form({ ...profileFields, public: text })
  scope.post(path, { schema: { body } }, async (request, reply) => {
    const { account, viewer } = request
    const { _csrf, scope: scopes, public: isPublic, ...profile } = request.body
    const typed = { ...profile, scopes, public: isPublic === 'yes' }
    try {
      const by = byAccount(account, fromOf(request))
      const made = await singleUseForms.use(_csrf, () => apps.create(toNewApp(typed, account.id), by))
      if (!made) return sendHtml(reply, sentAlreadyPage(viewer, '/developer/apps'), 409)
      await sandbox?.stores.authorize(account, made.app.id, by)
      return sendHtml(reply, secretPage({ ...made, viewer, what: 'created' }), 201)
    } catch (error) {
      if (!(error instanceof InputError)) throw error
      return sendHtml(reply, newAppPage({ form: typed, problem: error, viewer }), 422)
    }
  })
}

const toNewApp = (form: AppForm, owner_id: string): NewApp => ({
  ...profileOf(form),
  public: form.public,
  owner_id,
})
