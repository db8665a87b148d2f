import { html } from 'ghtml'
import { layout, type Page } from '../layout.ts'
import { notice } from '../parts/notice.ts'
import { postForm } from '../parts/form/post-form.ts'

interface LoginView {
  csrf: string
  next: string | null
  email: string
  problem?: string
  /** The app that asks for access, when the person came from its authorization request. */
  app_name: string | null
  /** The address of the sign-up page; null while sign-up is off. */
  sign_up: string | null
  /** Whether the server can mail a link. */
  can_mail: boolean
}

/** The field names are those that password managers look for. After a refusal the password field has the focus. */
export const loginPage = ({ csrf, next, email, problem, app_name, sign_up, can_mail }: LoginView): Page => {
  const described = problem === undefined ? '' : 'aria-describedby="problem"'
  const [atEmail, atPassword] = problem === undefined ? ['autofocus', ''] : ['', 'autofocus']
  return layout({
    title: 'Sign in',
    width: 'narrow',
    body: html`<h1>Sign in</h1>
      !${app_name === null ? '' : html`<p class="lead"><strong>${app_name}</strong> asks for access to your stores. Sign in to see the details, then allow or deny it.</p>`}
      !${problem === undefined ? '' : notice({ tone: 'bad', content: { text: problem }, id: 'problem' })}
      !${postForm(
        '/login',
        csrf,
        html`<input type="hidden" name="next" value="${next ?? ''}">
        <label for="email">Email</label>
        <input type="email" id="email" name="email" value="${email}" autocomplete="username" autocapitalize="none"
          spellcheck="false" required !${described} !${atEmail}>
        <label for="password">Password</label>
        <input type="password" id="password" name="password" autocomplete="current-password" required !${described} !${atPassword}>
        <button type="submit" class="wide">Sign in</button>`,
      )}
      !${can_mail ? html`<p class="aside"><a href="/login/forgot">Forgot your password?</a></p>` : ''}
      !${sign_up !== null && app_name === null ? html`<p class="aside">Building an app? <a href="${sign_up}">Create a developer account</a></p>` : ''}`,
  })
}
