;;; sbcl --load build.lisp FOLDER PEER: loads all that the peer needs. setup saves it then, outside
;;; of this load.
(require :asdf)
(require :sb-bsd-sockets)

(defvar *folder* (nth 1 (reverse sb-ext:*posix-argv*)))
(defvar *peer* (nth 0 (reverse sb-ext:*posix-argv*)))

(asdf:initialize-source-registry
 `(:source-registry (:tree "/usr/share/roslisp/") (:tree "/usr/share/common-lisp/ros/")
                    (:tree ,(concatenate 'string *folder* "/messages/")) :ignore-inherited-configuration))
(asdf:initialize-output-translations
 `(:output-translations (t (,(concatenate 'string *folder* "/fasl/") :implementation))
                        :ignore-inherited-configuration))

(declaim (sb-ext:muffle-conditions sb-ext:compiler-note style-warning))
(dolist (system '(:roslisp :std_msgs-msg :nav_msgs-srv :actionlib_benchmark-msg))
  (asdf:load-system system))

(dolist (source '("../kit/lisp/kit" "topic" "service" "action" "peer"))
  (let ((fasl (format nil "~a/~a.fasl" *folder* (pathname-name source))))
    (multiple-value-bind (output warnings failed)
        (compile-file (format nil "~a/~a.lisp" *peer* source) :output-file fasl)
      (declare (ignore warnings))
      (when (or failed (null output))
        (sb-ext:exit :code 1 :abort t)))
    (load fasl)))
