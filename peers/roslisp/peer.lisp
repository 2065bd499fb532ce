;;; The roslisp peer: roslisp's calls, in the order that the kit asks for them.

(in-package :roslisp-peer)

(defvar *endpoints* nil "The functions of the pattern.")

(defvar *version*
  (with-open-file (package "/usr/share/roslisp/package.xml")
    (loop for line = (read-line package)
          for start = (search "<version>" line)
          when start
            return (subseq line (+ start 9) (search "</" line))))
  "roslisp's, when the image was made.")

(defun refuses ()
  (let ((pattern (peer-kit:job-text "pattern"))
        (connection (peer-kit:job-setting "connection" "persistent")))
    (cond ((/= 1 (peer-kit:job-number "generation")) "generation")
          ((not (equal (peer-kit:job-text "type") (peer-kit:job-text "pattern_type"))) "type")
          ((not (equal pattern "service")) (peer-kit:job-text "not_plain"))
          ((/= 1 (peer-kit:job-number "in_flight")) "in_flight")
          ;; roslisp answers one request on a connection.
          ((and (equal (peer-kit:job-text "role") "server") (equal connection "persistent"))
           "settings.connection")
          (t (peer-kit:job-text "not_plain")))))

(defun start-node ()
  (let* ((node (peer-kit:job-text "node"))
         (slash (position #\/ node :from-end t)))
    (setf roslisp::*xmlrpc-timeout* 5.0) ; seconds
    (roslisp:set-debug-level nil :warn)
    ;; roslisp does not understand a parameter server that has no parameter at all: it sets one.
    (roslisp:start-ros-node (subseq node (1+ slash))
                            :cmd-line-args (list (format nil "__ns:=~a" (subseq node 0 (1+ slash)))
                                                 "_peer:=1"))))

(defun create ()
  (start-node)
  (let ((pattern (peer-kit:job-text "pattern")))
    (setf *endpoints* (cond ((equal pattern "service") (make-service))
                            ((equal pattern "action") (make-action))
                            (t (make-topic)))))
  (peer-kit:effective "{\"transport\": \"TCPROS\"}" "roslisp" *version*))

(defun endpoint (name &rest arguments)
  (let ((function (getf *endpoints* name)))
    (when function (apply function arguments))))

(defun destroy ()
  (when (eq roslisp::*node-status* :running)
    (roslisp:shutdown-ros-node)))

(defun play (job-path)
  (peer-kit:run job-path
                :refuses #'refuses
                :create #'create
                :wait-matched (lambda (timeout-ns)
                                (wait-until (/ timeout-ns 1000000000) (lambda () (endpoint :matched))))
                :publish (lambda () (endpoint :publish))
                :echo (lambda (message) (endpoint :echo message))
                :call (lambda (token t1) (endpoint :call token t1))
                :forget (lambda (token) (endpoint :forget token))
                :destroy #'destroy))

(defun main ()
  "The program: JOB, or --version."
  (let ((argument (second sb-ext:*posix-argv*)))
    (when (equal argument "--version")
      (format t "roslisp ~a, SBCL ~a~%" *version* (lisp-implementation-version))
      (sb-ext:exit))
    (peer-kit:load-kit (concatenate 'string (sb-ext:posix-getenv "RCLBENCH_BUILD_DIR") "/../../lisp"))
    (let ((status (play argument)))
      (finish-output)
      (sb-ext:exit :code status :abort t)))) ; roslisp leaves threads behind
