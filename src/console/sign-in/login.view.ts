import { html } from 'ghtml'
import { layout } from '../layout.ts'
import { notice } from '../parts/notice.ts'
import { postForm } from '../parts/form/post-form.ts'

interface LoginView {
  csrf: string
  next: string | null
  email: string
  problem?: string
  /** The app that asks for access, when that is what one signs in for. */
  app_name: string | null
  /** Where developers make their own account; null while they may not. */
  sign_up: string | null
}

/** The fields are named as password managers look for them. After a refusal it is the password that is typed again. */
export const loginPage = ({ csrf, next, email, problem, app_name, sign_up }: LoginView): string => {
  const told = problem === undefined ? '' : 'aria-describedby="problem"'
  const [atEmail, atPassword] = problem === undefined ? ['autofocus', ''] : ['', 'autofocus']
  return layout({
    title: 'Sign in',
    width: 'narrow',
    body: html`<h1>Sign in</h1>
      !${app_name === null ? '' : html`<p class="lead"><strong>${app_name}</strong> asks for access to your stores. Sign in to see what for, and to allow or deny it.</p>`}
      !${problem === undefined ? '' : notice({ tone: 'bad', content: { text: problem }, id: 'problem' })}
      !${postForm(
        '/login',
        csrf,
        html`<input type="hidden" name="next" value="${next ?? ''}">
        <label for="email">Email</label>
        <input type="email" id="email" name="email" value="${email}" autocomplete="username" autocapitalize="none"
          spellcheck="false" required !${told} !${atEmail}>
        <label for="password">Password</label>
        <input type="password" id="password" name="password" autocomplete="current-password" required !${told} !${atPassword}>
        <button type="submit" class="wide">Sign in</button>`,
      )}
      !${sign_up !== null && app_name === null ? html`<p class="aside">New here, to build an app? <a href="${sign_up}">Create a developer account</a></p>` : ''}`,
  })
}
