/* For an action resetPassword of users. A new password that nobody is told would only lock the user out. */
exports.sendMail = function () {
  throw {
    code: 501,
    message: 'Scripts send no mail, so the password stays as it is',
    detail: { hint: 'Let a process reset it: processes have tasks of the type mail' },
  };
};
